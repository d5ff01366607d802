"""Names of a module that a system does not have, where code reaches them there: checks of `sys.platform` are read as type checkers do."""

import ast
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

__all__ = ["absent_names"]

MODULES = ""  # in the list of absent names: modules that are absent as a whole
LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def absent_names(tree: ast.Module, system: str) -> list[str]:
    """Each as "line: name". system: a value of sys.platform."""
    aliases = {alias.asname or alias.name: alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    found = {node: names for node in ast.walk(tree) if (names := _absent(node, aliases, system))}
    reached = _reached(tree, system) if found else ()
    return [f"{node.lineno}: {name}" for node in reached for name in found.get(node, ())]


@cache
def _absent_of(system: str) -> dict[str, frozenset[str]]:
    """Module -> names that it has not."""
    listed = json.loads(Path(__file__).with_name("absent_names.json").read_text(encoding="utf-8"))[system]
    return {module: frozenset(" ".join(lines).split()) for module, lines in listed.items()}


def _absent(node: ast.AST, aliases: dict[str, str], system: str) -> list[str]:
    names = _absent_of(system)
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names if alias.name in names[MODULES]]
    if isinstance(node, ast.ImportFrom):
        absent = names[MODULES] | names.get(node.module, frozenset())
        return [name for name in (node.module, *(alias.name for alias in node.names)) if name in absent]
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
        module = aliases[node.value.id]
        return [f"{module}.{node.attr}"] if node.attr in names.get(module, ()) else []
    return []


def _reached(node: ast.AST, system: str) -> Iterator[ast.AST]:
    """The node and all below it that may run on this system."""
    yield node
    for part in _parts(node, system):
        if isinstance(part, list):
            yield from _reached_of_block(part, system)
        elif isinstance(part, ast.AST):
            yield from _reached(part, system)


def _parts(node: ast.AST, system: str) -> list:
    """What stands in its fields: nodes, and lists of them."""
    if isinstance(node, ast.If | ast.IfExp):
        verdict = _verdict(node.test, system)
        return [node.test, *([] if verdict is False else [node.body]), *([] if verdict is True else [node.orelse])]
    if isinstance(node, ast.BoolOp):
        decides = isinstance(node.op, ast.Or)
        verdicts = [_verdict(value, system) for value in node.values]
        return node.values[: verdicts.index(decides) + 1] if decides in verdicts else node.values
    return [value for _, value in ast.iter_fields(node)]


def _reached_of_block(block: list, system: str) -> Iterator[ast.AST]:
    for node in block:
        if isinstance(node, ast.AST):
            yield from _reached(node, system)
        if isinstance(node, ast.If) and _leaves(node, system):
            return


def _leaves(node: ast.If, system: str) -> bool:
    """Whether nothing behind this check runs on the system."""
    verdict = _verdict(node.test, system)
    taken = {True: node.body, False: node.orelse, None: []}[verdict]
    return bool(taken) and (isinstance(taken[-1], LEAVING) or ast.unparse(taken[-1]).startswith("sys.exit("))


def _verdict(test: ast.expr, system: str) -> bool | None:
    """Of a comparison of sys.platform with a word; None of anything else."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _verdict(test.operand, system)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        decides = isinstance(test.op, ast.Or)
        verdicts = [_verdict(value, system) for value in test.values]
        return decides if decides in verdicts else None if None in verdicts else not decides
    if isinstance(test, ast.Compare) and ast.unparse(test.left) == "sys.platform" and isinstance(test.comparators[0], ast.Constant):
        is_it = test.comparators[0].value == system
        return {ast.Eq: is_it, ast.NotEq: not is_it}.get(type(test.ops[0]))
    return None
