"""The product starts and speaks on Linux, macOS and Windows: it reaches nothing that a system does not have, and names its encodings."""

import ast

import pytest

from tests.house.source_files import ROOT, nodes_of, product_files, tree_of
from tests.house.systems.system_names import absent_names

SYSTEMS = ("linux", "darwin", "win32")
CHECKED = (
    "if sys.platform != 'win32':\n    os.getsid(0)",
    "if sys.platform == 'win32':\n    raise OSError\nos.getsid(0)",
    "if sys.platform == 'win32':\n    sys.exit('not here')\nos.getsid(0)",
    "pages = None if sys.platform == 'win32' else os.getsid(0)",
    "is_first = sys.platform != 'win32' and os.getsid(0)",
    "if not sys.platform == 'win32' and is_wanted:\n    os.getsid(0)",
    "if sys.platform == 'win32':\n    pass\nelse:\n    import pwd",
)
PLACE_OF_ENCODING = {"read_text": 0, "write_text": 1}  # among the arguments
UNCHECKED = (
    "os.getsid(0)",
    "if sys.platform == 'linux' or is_wanted:\n    os.getsid(0)",
    "if sys.platform == 'win32':\n    print('not here')\nos.getsid(0)",
    "if sys.platform == 'win32' and is_wanted:\n    raise OSError\nos.getsid(0)",
    "if hasattr(os, 'getsid'):\n    os.getsid(0)",
    "try:\n    import pwd\nexcept ImportError:\n    pass",
    "from os import getsid",
)


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_what_a_system_has_not_stands_behind_a_check_of_the_system(system):
    for file in product_files():
        place = file.relative_to(ROOT).as_posix()
        found = absent_names(tree_of(file), system)
        assert not found, f"{place} would end in an AttributeError on {system}: {found}"


def test_a_check_counts_where_it_decides():
    for code in CHECKED:
        assert not absent_names(ast.parse(f"import os, sys\n{code}"), "win32"), code
        assert absent_names(ast.parse(f"import os, sys\n{code.replace('win32', 'cygwin')}"), "win32"), code
    for code in UNCHECKED:
        assert absent_names(ast.parse(f"import os, sys\n{code}"), "win32"), code


@pytest.mark.slow
def test_text_of_a_file_or_a_process_has_a_named_encoding():
    """ruff's PLW1514 sees only what it knows to be a path."""
    for file in product_files():
        unnamed = [node.lineno for node in nodes_of(file) if isinstance(node, ast.Call) and _takes_the_systems_encoding(node)]
        assert not unnamed, f"{file.relative_to(ROOT)}, lines {unnamed}"


def test_the_law_of_encodings_sees_what_it_should():
    without = ("path.read_text()", "path.write_text(words)", "run(c, text=True)", "Popen(c, universal_newlines=True)", "plug.makefile('r')")
    named = (
        "path.read_text(encoding='utf-8')",
        "run(c, encoding='utf-8')",
        "plug.makefile('rb')",
        "path.read_bytes()",
        "path.read_text('utf-8')",
    )
    calls = [ast.parse(code, mode="eval").body for code in (*without, *named)]
    assert [_takes_the_systems_encoding(call) for call in calls] == [True] * len(without) + [False] * len(named)


def _takes_the_systems_encoding(call: ast.Call) -> bool:
    keywords = {keyword.arg for keyword in call.keywords}
    if "encoding" in keywords:
        return False
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name in PLACE_OF_ENCODING:
        return len(call.args) <= PLACE_OF_ENCODING[name]
    if name == "makefile":
        return not (call.args and "b" in ast.unparse(call.args[0]))
    return name in ("run", "Popen") and bool(keywords & {"text", "universal_newlines"})
