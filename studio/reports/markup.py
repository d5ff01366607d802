"""Markup of reports: escapes all text that it takes, and gives back whole elements."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Markup", "TableColumn", "chips", "element", "facts", "joined", "table"]


class Markup(str):
    """Markup that is escaped already."""

    __slots__ = ()


@dataclass(frozen=True)
class TableColumn:
    """cells: one for each row; None or "" where there is nothing to be said. figures: they stand on the right."""

    title: str
    cells: Sequence[str | Markup | None]
    figures: bool = True


def element(name: str, content: str | Markup = "", **attributes: str) -> Markup:
    """attributes: `class_` is `class`; an underscore inside of a name is a hyphen."""
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items())
    return Markup(f"<{name}{written}>{_safe(content)}</{name}>")


def joined(parts: Sequence[str | Markup], between: str = "\n") -> Markup:
    return Markup(between.join(_safe(part) for part in parts if part))


def chips(parts: Sequence[tuple[str, str]]) -> Markup:
    """parts: (words, kind), kind: `ready`, `care` or ""."""
    return element(
        "p", joined([element("span", words, class_=f"chip {kind}".strip()) for words, kind in parts if words], " "), class_="chips"
    )


def table(caption: str, columns: Sequence[TableColumn]) -> Markup:
    """Without columns of which no cell says anything; "" without rows. The first column names the row."""
    shown = [column for column in columns if any(column.cells)]
    if not shown:
        return Markup("")
    head = joined([element("th", column.title, scope="col", **_side(column)) for column in shown], "")
    rows = []
    for name, *cells in zip(*(column.cells for column in shown), strict=True):
        others = [element("td", cell or "–", **_side(column)) for cell, column in zip(cells, shown[1:], strict=True)]
        rows.append(element("tr", joined([element("th", name or "–", scope="row", **_side(shown[0])), *others], "")))
    whole = element("table", joined([element("thead", element("tr", head)), element("tbody", joined(rows))]))
    return element("div", whole, class_="scroll", role="region", tabindex="0", aria_label=caption)


def facts(pairs: Sequence[tuple[str, str]]) -> Markup:
    """A list of names and what they are; without those of which nothing is said."""
    return element("dl", joined([joined([element("dt", name), element("dd", value)]) for name, value in pairs if value]))


def _safe(content: str | Markup) -> str:
    return content if isinstance(content, Markup) else escape(content)


def _side(column: TableColumn) -> dict[str, str]:
    return {"class_": "figure"} if column.figures else {}
