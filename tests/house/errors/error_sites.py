"""Where errors are made, read from the source: with which code, which sentence and which values.

A site is a call that makes an error: of its class; or, where the class takes no values of its callers, `super().__init__` inside of it.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tests.house.source_files import ROOT, product_files, text_of, tree_of

__all__ = ["Site", "error_classes", "script_sites", "sites", "worded"]

TOP = "EngineError"
MAKERS = ("BackgroundJobs", "DatabaseForm")  # which make errors of the classes that they are given
INIT = "__init__"
# What else makes {code, values}: position of the code, which that of the values follows, and the keywords of both.
TELLERS = {
    "ApiError": (None, "reason_code", "values"),
    "Failure": (3, "code", "values"),
    "Incompatibility": (3, "code", "values"),
}
# Functions that make an error of a code that they are handed: module and name, and which argument the code is.
REFUSALS = {
    "reference_audio": 1,
    "local_audio": 1,
    "voice_upload": 2,
    "page_middleware": 3,
}
REFUSAL = "_refusal"
# Codes that stand in tables, and what comes with them: (module, pattern, values).
TABLES = (
    ("studio/prompts/status.py", r'"(stale_\w+)"', {"engine"}),
    ("studio/ui/gradio/messages.py", r'"(defect)"', set()),
    ("engines/contract/speech_end.py", r'"(ended_\w+)"', {"seconds", "engine"}),
    ("studio/web/body_limit.py", r'status, code = \d+, "(\w+)"', {"seconds", "limit"}),
    ("studio/web/connection.py", r'FULL_CODE = "(connections_full)"', set()),
    ("studio/web/closing.py", r'CLOSING_CODE = "(studio_closing)"', set()),
    ("studio/web/hosts.py", r'reason_code="(\w+)"', {"host"}),
)
# Where errors are made that do not know their engine: whoever runs it says its title (EngineError.of_engine) before anybody is told.
OF_ENGINES = ("engines/", "studio/reading/language.py", "studio/running/worker.py", "studio/running/zero_gpu/", "studio/speech/request.py")
# In scripts: new SpeechRefused("code", { values }), and objects with a code. Their values are not looked at.
SCRIPT_CODE = re.compile(r"""\bSpeechRefused\("([^"]+)"|\bcode: "([^"]+)"|"([EW]-[A-Z]+-\d)\"""")


@dataclass(frozen=True)
class Site:
    """code: stable, for programs. sentences: keys of section "errors" that may be said. values: names that come with it."""

    place: str
    code: str
    sentences: tuple[str, ...]
    values: frozenset[str]


@cache
def sites() -> tuple[Site, ...]:
    """Of the API, the engines and the page's handlers. Raises AssertionError for one whose code the source does not tell."""
    return tuple(_sites())


def _sites() -> Iterator[Site]:
    for file in product_files():
        if "/measure/" in str(file):
            continue
        for made, call in _calls(tree_of(file), file.stem):
            yield from _of_call(f"{file.relative_to(ROOT)}:{call.lineno}", file.stem, made, call)
    for module, pattern, values in TABLES:
        for code in sorted(set(re.findall(pattern, text_of(ROOT / module)))):
            yield Site(module, code, (code,), frozenset(values))


def script_sites() -> Iterator[Site]:
    """Codes that scripts make themselves."""
    for file in sorted((ROOT / "assets/web").rglob("*.js")):
        for found in SCRIPT_CODE.finditer(text_of(file)):
            code = found[1] or found[2] or found[3]
            yield Site(f"{file.relative_to(ROOT)}", code, (code,), frozenset())


def worded() -> Iterator[tuple[str, str]]:
    """(place, class) of every call that makes an error with a fact in English words of its own."""
    for file in product_files():
        for node in ast.walk(tree_of(file)):
            name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if name not in _classes():
                continue
            arguments = [argument.arg for argument in _maker(name).init.args.args[1:]]
            at = arguments.index("fact") if "fact" in arguments else len(node.args)
            told = node.args[at] if len(node.args) > at else next((word.value for word in node.keywords if word.arg == "fact"), None)
            if told is not None and not (isinstance(told, ast.Constant) and told.value is None):
                yield f"{file.relative_to(ROOT)}:{node.lineno}", name


def error_classes() -> frozenset[str]:
    """Names of all errors of the project."""
    return frozenset(_classes())


# --- classes


@dataclass(frozen=True)
class _Class:
    node: ast.ClassDef
    parent: str

    @property
    def init(self) -> ast.FunctionDef | None:
        return next((part for part in self.node.body if isinstance(part, ast.FunctionDef) and part.name == INIT), None)

    @property
    def code(self) -> str:
        """Its own, "" where it has its parent's."""
        named = [part for part in self.node.body if isinstance(part, ast.Assign) and getattr(part.targets[0], "id", "") == "code"]
        return named[0].value.value if named and isinstance(named[0].value, ast.Constant) else ""


@cache
def _classes() -> dict[str, _Class]:
    """All errors of the project."""
    nodes = [node for file in product_files() for node in ast.walk(tree_of(file)) if isinstance(node, ast.ClassDef) and node.bases]
    found = {TOP: _Class(next(node for file in product_files() for node in tree_of(file).body if getattr(node, "name", "") == TOP), "")}
    while more := [node for node in nodes if getattr(node.bases[0], "id", "") in found and node.name not in found]:
        found |= {node.name: _Class(node, node.bases[0].id) for node in more}
    return found


def _line(name: str) -> Iterator[_Class]:
    """The class and those that it descends from."""
    while name:
        yield _classes()[name]
        name = _classes()[name].parent


def _code_of(name: str) -> str:
    return next(one.code for one in _line(name) if one.code)


def _maker(name: str) -> _Class:
    """The class whose `__init__` a call of that class runs."""
    return next(one for one in _line(name) if one.init)


def _is_open(one: _Class) -> bool:
    return one.init.args.kwarg is not None


def _takes_code(name: str) -> int | None:
    """Which argument of its callers is the code."""
    arguments = [argument.arg for argument in _maker(name).init.args.args[1:]]
    return arguments.index("code") if "code" in arguments else None


# --- calls


@dataclass(frozen=True)
class _Made:
    """name: of what is called. inside: whether it is the `super().__init__` of that class. added: values besides those of the call."""

    name: str
    inside: bool = False
    added: frozenset[str] = frozenset()


def _calls(tree: ast.Module, module: str) -> Iterator[tuple[_Made, ast.Call]]:
    """Every call that makes an error, or may."""
    makers = {} if module in REFUSALS else dict(_makers(tree))
    inside = {call for node in ast.walk(tree) if getattr(node, "name", "") in (*makers, REFUSAL) for call in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name in _classes() and (init := _classes()[node.name].init):
            yield from ((_Made(node.name, inside=True), call) for call in ast.walk(init) if _is_super(call))
        elif isinstance(node, ast.Call) and node not in inside:
            name = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
            if name in makers:
                yield makers[name], node
            elif isinstance(node.func, ast.Name) and (name in _classes() or name in TELLERS or (name == REFUSAL and module in REFUSALS)):
                yield _Made(name), node
            if name in MAKERS:
                values = (*node.args, *(part.value for part in node.keywords))
                handed = [one for one in values if getattr(one, "id", "") in _classes()]
                yield from ((_Made(one.id), ast.Call(one, [], [], lineno=node.lineno)) for one in handed)
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Name) and node.exc.id in _classes():
            yield _Made(node.exc.id), ast.Call(node.exc, [], [], lineno=node.lineno)


def _makers(tree: ast.Module) -> Iterator[tuple[str, _Made]]:
    """(function, what it makes) of each function that hands the values of its callers on to an error."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.args.kwarg and node.name != INIT:
            calls = [call for call in ast.walk(node) if isinstance(call, ast.Call) and getattr(call.func, "id", "") in _classes()]
            yield from ((node.name, _Made(call.func.id, added=_names(call))) for call in calls)


def _names(call: ast.Call) -> frozenset[str]:
    return frozenset(keyword.arg for keyword in call.keywords if keyword.arg)


def _is_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") == INIT


def _of_call(place: str, module: str, made: _Made, call: ast.Call) -> Iterator[Site]:
    name, given = made.name, {keyword.arg: keyword.value for keyword in call.keywords}
    if name in TELLERS or name == REFUSAL:
        form = TELLERS.get(name) or (REFUSALS[module], "code", "values")
        yield from _of_teller(place, form, call, given)
        return
    if made.inside and (name == TOP or _is_open(_classes()[name])):
        return  # hands on what its callers give, who are sites themselves
    if not made.inside and not _is_open(_maker(name)):
        return  # the site is inside of its class
    called = _classes()[name].parent if made.inside else name
    at = _takes_code(called)
    codes = _texts(call.args[at]) if at is not None else (_code_of(name),)
    sentences = _texts(given["sentence"]) if "sentence" in given else codes
    assert codes and sentences and None not in given, f"{place}: code, sentence or values cannot be read"
    named = {"engine"} if place.startswith(OF_ENGINES) else set()
    values = {*given, *made.added, *_added(called), *named} - {"sentence", "hint", "detail", "command"}
    yield from (Site(place, code, sentences, frozenset(values)) for code in codes)


def _of_teller(place: str, form: tuple, call: ast.Call, given: dict[str, ast.AST]) -> Iterator[Site]:
    at, name, values = form
    code = given.get(name) or (call.args[at] if at is not None and len(call.args) > at else None)
    told = given.get(values) or (call.args[at + 1] if at is not None and len(call.args) > at + 1 else None)
    pairs = {key.value: value for key, value in zip(told.keys, told.values, strict=True)} if isinstance(told, ast.Dict) else {}
    for text in _texts(code) if code is not None else ():
        sentences = _texts(pairs["sentence"]) if "sentence" in pairs else (text,)
        yield Site(place, text, sentences, frozenset(pairs) - {"sentence"})


def _added(name: str) -> set[str]:
    """What an open class, and those above it, give by themselves."""
    calls = [call for one in _line(name) if one.init for call in ast.walk(one.init) if _is_super(call)]
    return {name for call in calls for name in _names(call)}


def _texts(node: ast.AST) -> tuple[str, ...]:
    """The texts that an expression may be; none where it is something else."""
    if isinstance(node, ast.IfExp):
        return _texts(node.body) + _texts(node.orelse)
    return (node.value,) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ()
