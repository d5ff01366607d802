"""A tree of XML or HTML, read leniently: no document type is loaded, no entity but those of HTML is known, nothing is fetched."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

__all__ = ["MarkupNode", "local_name", "markup_tree"]

_VOID = frozenset("meta link img br hr input col area base embed source track wbr".split())  # noqa: SIM905 a list is longer
_MOST_DEPTH = 200


@dataclass
class MarkupNode:
    """name, attributes: in small letters, without the prefix of a namespace. parts: texts and nodes in their order."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    parts: list["MarkupNode | str"] = field(default_factory=list)

    def children(self, name: str = "") -> Iterator["MarkupNode"]:
        return (part for part in self.parts if isinstance(part, MarkupNode) and name in ("", part.name))

    def all(self, name: str) -> Iterator["MarkupNode"]:
        """Itself and what is in it, in the order of the document."""
        waiting: list[MarkupNode] = [self]
        while waiting:
            node = waiting.pop()
            if node.name == name:
                yield node
            waiting += reversed(list(node.children()))

    def first(self, name: str) -> "MarkupNode | None":
        return next(self.all(name), None)

    @property
    def text(self) -> str:
        pieces: list[str] = []
        waiting: list[MarkupNode | str] = [self]
        while waiting:
            part = waiting.pop()
            if isinstance(part, str):
                pieces.append(part)
            else:
                waiting += reversed(part.parts)
        return " ".join("".join(pieces).split())


def local_name(name: str) -> str:
    """Without the prefix of its namespace: "dc:title" is "title"."""
    return name.rpartition(":")[2].lower()


def markup_tree(text: str) -> MarkupNode:
    """The root holds the document. What is not closed ends with what it stands in."""
    builder = _TreeBuilder()
    builder.feed(text)
    builder.close()
    return builder.root


class _TreeBuilder(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.root = MarkupNode("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = self._add(tag, attrs)
        if node.name not in _VOID and len(self._open) < _MOST_DEPTH:
            self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._add(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        name = local_name(tag)
        for depth in range(len(self._open) - 1, 0, -1):
            if self._open[depth].name == name:
                del self._open[depth:]
                return

    def handle_data(self, data: str) -> None:
        self._open[-1].parts.append(data)

    def unknown_decl(self, data: str) -> None:
        if data.startswith("CDATA["):
            self.handle_data(data.removeprefix("CDATA["))

    def _add(self, tag: str, attrs: list[tuple[str, str | None]]) -> MarkupNode:
        attributes = {local_name(name): value or "" for name, value in attrs}
        node = MarkupNode(local_name(tag), attributes)
        self._open[-1].parts.append(node)
        return node
