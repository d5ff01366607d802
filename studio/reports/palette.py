"""Palette: the colors of plots and reports, light and dark. They are the tokens of the page (assets/web/styles/tokens.css)."""

__all__ = ["DARK", "LANES", "LIGHT", "lane"]

LIGHT = {
    "paper": "#f6f5f2",
    "card": "#ffffff",
    "sunk": "#efede8",
    "line": "#e2ded7",
    "ink": "#1c1a17",
    "ink-soft": "#5c574f",
    "accent": "#0b6a60",
    "ready": "#007067",
    "ready-wash": "#e0f0ec",
    "care": "#924c00",
    "care-wash": "#fbeed5",
    "lane-a": "#1476c7",
    "lane-b": "#8f3500",
    "lane-c": "#00665b",
    "lane-d": "#6a1a76",
    "lane-e": "#8a6c15",
    "lane-f": "#322f2a",
}
DARK = {
    "paper": "#121110",
    "card": "#1b1a18",
    "sunk": "#262421",
    "line": "#35322d",
    "ink": "#f2f0eb",
    "ink-soft": "#b6b0a6",
    "accent": "#4fcdbb",
    "ready": "#65dad0",
    "ready-wash": "#15332f",
    "care": "#ffc75c",
    "care-wash": "#352a11",
    "lane-a": "#6d89ef",
    "lane-b": "#e67a48",
    "lane-c": "#6fc5be",
    "lane-d": "#b279a1",
    "lane-e": "#e0c15f",
    "lane-f": "#e6e3dd",
}
LANES = tuple(name for name in LIGHT if name.startswith("lane-"))


def lane(number: int) -> str:
    """The color of a system's row, by its name here. The seventh has the color of the first, and another sign."""
    return LANES[number % len(LANES)]
