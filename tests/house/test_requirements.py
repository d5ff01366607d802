"""Whatever is imported is installed by requirements.txt, or comes with Python on every system the studio starts on."""

import ast
import re
import subprocess
import sys
from importlib.metadata import packages_distributions, version
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = {"engines", "studio", "tests", "app"}
# Of Python itself, and not there on Windows.
POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
# The official packages that ours is compared with, and figures for developers: neither is part of an installation.
OPTIONAL_FOLDERS = ("tests/parity/", "studio/measure/")


def sources() -> dict[str, ast.Module]:
    """Parsed Python files by place, without those of the optional folders."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    places = [place for place in listed.stdout.splitlines() if not place.startswith(OPTIONAL_FOLDERS) and (ROOT / place).exists()]
    return {place: ast.parse((ROOT / place).read_text()) for place in places}


def roots(nodes) -> set[str]:
    """Top-level packages that these nodes import."""
    nodes = list(nodes)
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names}


def test_every_package_that_is_imported_is_pinned_at_the_version_that_is_tested():
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    pinned = {normal(name): number for name, number in (line.split("==") for line in lines if "==" in line)}
    distributions = packages_distributions()
    for place, tree in sources().items():
        for root in roots(ast.walk(tree)) - OURS - sys.stdlib_module_names:
            found = {normal(name) for name in distributions.get(root, [])} & pinned.keys()
            assert found, f"{place} imports {root}, which requirements.txt does not name"
            assert all(version(name).partition("+")[0] == pinned[name] for name in found), f"{root} is not of the pinned version"


def test_nothing_that_windows_lacks_is_imported_at_the_start():
    for place, tree in sources().items():
        if not place.startswith("tests/"):
            assert not roots(tree.body) & POSIX_ONLY, place


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
