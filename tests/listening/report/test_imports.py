"""Claims about what is imported when: neither the start of the studio nor a report without plots waits for what draws."""

import ast

from tests.house.source_files import ROOT, tree_of

HEAVY = {"PIL", "scipy", "numpy", "pandas", "yaml", "torch", "soundfile"}
WHEN_DRAWN = {"studio.listening.report.plots.png"}


def named_at_the_top(file) -> set[str]:
    nodes = tree_of(file).body
    return {node.module for node in nodes if isinstance(node, ast.ImportFrom)} | {
        alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names
    }


def test_what_draws_is_imported_when_something_is_drawn():
    files = [*(ROOT / "studio/listening/report").rglob("*.py"), *(ROOT / "studio/commands").glob("*.py"), ROOT / "app.py"]
    for file in files:
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        if module not in WHEN_DRAWN:
            assert not {name.partition(".")[0] for name in named_at_the_top(file)} & HEAVY, file
            assert not named_at_the_top(file) & WHEN_DRAWN, file
    assert named_at_the_top(ROOT / "studio/commands/arguments.py") <= {
        "argparse",
        "pathlib",
        "studio.settings",
        "studio.commands.script_formats",
    }
