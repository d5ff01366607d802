"""PartResult: what a part of the plan printed, and how it ended. write_report: all of them as JSON, and as Markdown for the diary."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from studio.measure.server.machine import describe_machine

__all__ = ["PartResult", "last_json", "write_report"]

LAST_LINES = 12  # of what a part logged: of one that failed, why


@dataclass(frozen=True)
class PartResult:
    """outcome: "done", or why not. figures: its JSON, None where there is none. printed, logged: all of its output."""

    name: str
    command: tuple[str, ...]
    outcome: str
    seconds: float = 0.0
    figures: object = None
    printed: str = ""
    logged: str = ""


def last_json(text: str) -> object:
    """The whole text as JSON, or its last line; None where neither is."""
    for candidate in (text, text.strip().rpartition("\n")[2]):
        try:
            return json.loads(candidate)
        except ValueError:
            continue
    return None


def write_report(folder: Path, card: str, results: Sequence[PartResult]) -> None:
    """`report.json` and `report.md`, anew."""
    machine = describe_machine()
    told = {
        "card": card,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine,
        "parts": [asdict(one) for one in results],
    }
    folder.joinpath("report.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    lines = [f"**{datetime.now(UTC):%Y-%m-%d}, {card}**, torch {machine['packages']['torch']}, revision {machine['revision']}.", ""]  # type: ignore[index]
    lines += [*_tables(results), *_failures(results)]
    folder.joinpath("report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _tables(results: Iterable[PartResult]) -> list[str]:
    """Each part's tables; rows go on where the one before had the same columns."""
    lines: list[str] = []
    header: list[str] = []
    for result in results:
        table = [line for line in result.printed.splitlines() if line.startswith("|")]
        if not table:
            continue
        if table[:2] == header:
            lines += table[2:]
            continue
        header = table[:2]
        lines += ["", f"{result.name}:", "", *table]
    return lines


def _failures(results: Iterable[PartResult]) -> list[str]:
    lines = [""]
    for result in results:
        if result.outcome != "done":
            lines.append(f"* {result.name}: {result.outcome}.")
            lines += [f"    {line}" for line in result.logged.strip().splitlines()[-LAST_LINES:]]
    return lines
