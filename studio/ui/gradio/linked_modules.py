"""Linked modules: joins ES modules into one script, or several that run after each other, in the order in which a browser would run them.

Each module is a block of its own, so names that it does not export stay private; exported names stand around all blocks. It knows the forms
that our scripts use, and refuses every other.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["linked", "linked_in_turn"]

_IMPORT = re.compile(r'^(?:import|export)(?: \{(?P<names>[^}]*)\} from)? "(?P<source>\.\.?/[\w./]+)";$', re.MULTILINE)
_AGAIN = re.compile(r"^export \{[^}]*\};$", re.MULTILINE)  # of what is imported, and so has its name already
_FUNCTION = re.compile(r"^export (?=(?:async )?function\*? (\w+))", re.MULTILINE)
_CONSTANT = re.compile(r"^export (?=(?:class|const) (\w+))", re.MULTILINE)
_CONSTANTS = re.compile(r"^export (?=const \{ ([\w, ]+) \} =)", re.MULTILINE)
_VARIABLE = re.compile(r"^export let (\w+)(?= =)", re.MULTILINE)
_VARIABLES = re.compile(r"^export let ([\w, ]+);$", re.MULTILINE)
_UNKNOWN = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


@dataclass(frozen=True)
class _Module:
    """sources: modules that it imports, by path. text: its block, in which its variables are those around it.

    functions, constants: exported; the former are handed over before the block runs, as modules that import each other in a circle want.
    variables: exported, and set as it runs. aliases: as `const` lines.
    """

    sources: tuple[str, ...]
    functions: tuple[str, ...]
    constants: tuple[str, ...]
    variables: tuple[str, ...]
    aliases: tuple[str, ...]
    text: str

    @classmethod
    def read(cls, name: str, text: str) -> "_Module":
        imports = list(_IMPORT.finditer(text))
        renamed = [names for found in imports for names in re.findall(r"(\w+) as (\w+)", found["names"] or "")]
        constants = _CONSTANT.findall(text) + [each for names in _CONSTANTS.findall(text) for each in names.split(", ")]
        variables = _VARIABLE.findall(text) + [each for names in _VARIABLES.findall(text) for each in names.split(", ")]
        functions = tuple(_FUNCTION.findall(text))
        for form in (_IMPORT, _AGAIN, _FUNCTION, _CONSTANT, _CONSTANTS, _VARIABLES):
            text = form.sub("", text)
        text = _VARIABLE.sub(r"\1", text)
        if unknown := _UNKNOWN.search(text):
            raise ValueError(f"{name} has a line that cannot be linked: {unknown[0]}. Write it as other scripts do.")
        aliases = tuple(f"const {alias} = {exported};" for exported, alias in renamed)
        sources = tuple(_path(name, found["source"]) for found in imports)
        return cls(sources, functions, tuple(constants), tuple(variables), aliases, text.strip())

    @property
    def exports(self) -> tuple[str, ...]:
        return self.functions + self.constants + self.variables

    def block(self, name: str) -> str:
        """Within it an exported function or constant is its own, which it hands over to the variable around it."""
        before, after = ([f"$export.{exported}({exported});" for exported in names] for names in (self.functions, self.constants))
        return "\n".join(filter(None, [f"{{ // {name}", *before, *self.aliases, self.text, *after, "}"]))


def linked(modules: Mapping[str, str], main: str) -> str:
    """One module that does what `main` does. modules: texts by path below their folder, with "/" on every system. They import each other by
    relative paths ("./player.js", "../words/words.js"). What `main` does not reach is left out.

    Raises ValueError where an import leaves the folder or names no module, where two modules export one name, or where one is written as no
    other is.
    """
    read = _read(modules)
    order = list(_in_order(read, main, set()))
    return _script(read, order, _exported(read, order), "")


def linked_in_turn(modules: Mapping[str, str], mains: Mapping[str, str], late: Sequence[str] = ()) -> tuple[str, ...]:
    """One script for each of `mains` and then of `late`, in their order: what it reaches and none before it does. Each imports what it
    needs of those before it. mains: by path, the addresses at which the scripts find each other; the last but one does without the last,
    which may come later.
    late: paths of modules whose scripts come when somebody wants them, in any order or never: none of these needs another, so that what
    several of them reach is in the last of `mains`.

    Raises ValueError as `linked` does.
    """
    read, begun = _read(modules), set()
    orders = [list(_in_order(read, main, begun)) for main in mains]
    reached = [list(_in_order(read, main, set(begun))) for main in late]
    shared = {name for at, order in enumerate(reached) for name in order if any(name in other for other in reached[at + 1 :])}
    orders[-1] += list(dict.fromkeys(name for order in reached for name in order if name in shared))
    orders += [[name for name in order if name not in shared] for order in reached]
    exported = _exported(read, [name for order in orders for name in order])
    own = [[name for name, module in exported.items() if module in order] for order in orders]
    words = [_words_of(read, order) for order in orders]
    scripts = []
    for at, order in enumerate(orders):
        found = list(zip(mains.values(), own, strict=False))[:at]
        imports = [_import(address, [name for name in names if name in words[at]]) for address, names in found]
        exports = [name for name in own[at] if at < len(mains) and any(name in later for later in words[at + 1 :])]
        exporting = f"export {{ {', '.join(exports)} }};\n" if exports else ""
        scripts.append(_script(read, order, own[at], "\n".join(imports)) + exporting)
    return tuple(scripts)


def _words_of(read: Mapping[str, _Module], order: Sequence[str]) -> set[str]:
    """Whatever may be a name in these modules."""
    return {word for name in order for text in (read[name].text, *read[name].aliases) for word in re.findall(r"[\w$]+", text)}


def _import(address: str, names: Sequence[str]) -> str:
    return f'import {{ {", ".join(names)} }} from "{address}";' if names else f'import "{address}";'


def _read(modules: Mapping[str, str]) -> dict[str, _Module]:
    read = {name: _Module.read(name, text) for name, text in modules.items()}
    for name, module in read.items():
        if missing := [source for source in module.sources if source not in read]:
            raise ValueError(f"{name} imports {missing[0]}, which does not exist. Correct the path; it begins at the folder of {name}.")
    return read


def _exported(read: Mapping[str, _Module], order: Sequence[str]) -> dict[str, str]:
    """Name -> the module that exports it."""
    exported: dict[str, str] = {}
    for name in order:
        for export in read[name].exports:
            if exported.setdefault(export, name) != name:
                raise ValueError(f"{export} is exported by {exported[export]} and by {name}. Give one of them another name.")
    return exported


def _script(read: Mapping[str, _Module], order: Sequence[str], exported: Sequence[str] | Mapping[str, str], imports: str) -> str:
    """imports: lines before all others; "" for none."""
    setters = ", ".join(f"{name}: (own) => ({name} = own)" for name in exported)
    around = [f"let {', '.join(exported)};", f"const $export = {{ {setters} }};"] if exported else []
    return "\n".join([*filter(None, [imports]), *around, *(read[name].block(name) for name in order), ""])


def _path(importer: str, source: str) -> str:
    """The path of a module below the folder. source: as it is written in `importer`."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), source))
    if path.startswith("../"):
        raise ValueError(f"{importer} imports {source}, which leaves the folder of the scripts. Import what lies in it.")
    return path


def _in_order(modules: Mapping[str, _Module], name: str, begun: set[str]) -> Iterator[str]:
    """Whatever is imported goes before who imports it; in a circle, who is come to last."""
    begun.add(name)
    for source in modules[name].sources:
        if source not in begun:
            yield from _in_order(modules, source, begun)
    yield name
