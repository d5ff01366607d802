"""Claims about assets/web/styles/tokens.css, computed in both modes: what can be read, what can be seen, what can be told apart."""

import itertools
import re

import numpy as np
import pytest

from studio.ui.gradio import web

TEXT = (web.FOLDER / web.SHEETS / "tokens.css").read_text(encoding="utf-8")
LEAST_OF_WORDS, LEAST_OF_PARTS = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11
LEAST_OF_STATES, LEAST_OF_LANES = 11.0, 9.0  # OKLab x 100
SURFACES = ("paper", "card", "raised", "sunk")
WASHES = ("accent-wash", "ready-wash", "saved-wash", "care-wash", "bad-wash")
STATES = ("ready", "saved", "care", "bad")
LANES = tuple(f"lane-{letter}" for letter in "abcdef")
PRINTS = tuple(f"print-{hue}" for hue in range(8))

# Machado, Oliveira and Fernandes, A physiologically-based model for simulation of color vision deficiency, IEEE TVCG 15(6), 2009:
# the matrices at full strength (severity 1.0), of linear RGB.
SIGHTS = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# Ottosson, A perceptual color space for image processing, 2020: linear sRGB to cone responses, and their cube roots to OKLab.
TO_CONES = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
TO_OKLAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def colors(block: str) -> dict[str, np.ndarray]:
    """By token: (3,) linear RGB, 0 to 1."""
    return {name: linear(value) for name, value in re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)}


def linear(value: str) -> np.ndarray:
    """sRGB to linear, IEC 61966-2-1."""
    srgb = np.array([int(value[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    """WCAG 2.2: (L1 + 0.05) / (L2 + 0.05) of the relative luminances."""
    dark, light = sorted(float(color @ [0.2126, 0.7152, 0.0722]) for color in (one, other))
    return (light + 0.05) / (dark + 0.05)


def distance(one: np.ndarray, other: np.ndarray, sight: str) -> float:
    """As far as they are apart for that sight, OKLab x 100."""
    first, second = (np.clip(np.array(SIGHTS[sight]) @ color, 0, 1) for color in (one, other))
    return float(100 * np.linalg.norm(oklab(first) - oklab(second)))


def oklab(color: np.ndarray) -> np.ndarray:
    return np.array(TO_OKLAB) @ np.cbrt(np.array(TO_CONES) @ color)


def words() -> list[tuple[str, str]]:
    """Every pair of a word's color and what it stands on."""
    on_surfaces = itertools.product(("ink", "ink-soft", "accent", "accent-strong", *STATES), SURFACES)
    on_washes = itertools.product(("ink", "ink-soft"), WASHES)
    own = [(name, f"{name}-wash") for name in ("accent", *STATES)]
    filled = [("on-accent", "accent"), ("on-accent", "accent-strong"), ("on-record", "record"), ("card", "ink")]
    lanes = [pair for lane in LANES for pair in ((lane, "card"), ("card", lane))]
    return [*on_surfaces, *on_washes, *own, *filled, *lanes]


def parts() -> list[tuple[str, str]]:
    """Edges, bars, waves and shapes, with what they stand on."""
    boxes = ("paper", "card", "raised")
    edges = itertools.product(("line-strong", "accent", "record", *STATES), SURFACES)
    waves = [*itertools.product(("accent-mid", "lane-b"), ("card", "raised")), *itertools.product(("wave-rest",), ("card", "raised"))]
    return [*edges, *waves, *itertools.product(LANES, boxes), *((hue, f"{hue}-wash") for hue in PRINTS)]


@pytest.fixture(params=["light", "dark"])
def shown(request) -> dict[str, np.ndarray]:
    """The colors of a mode."""
    light, dark = (colors(block) for block in TEXT.split(".dark {"))
    return light if request.param == "light" else light | dark


def below(pairs: list[tuple[str, str]], shown: dict[str, np.ndarray], least: float) -> dict[tuple[str, str], float]:
    figures = {pair: contrast(*(shown[name] for name in pair)) for pair in pairs}
    return {pair: round(figure, 2) for pair, figure in figures.items() if figure < least}


def test_every_word_can_be_read_on_what_it_stands_on(shown):
    assert below(words(), shown, LEAST_OF_WORDS) == {}


def test_every_part_can_be_seen_on_what_it_stands_on(shown):
    assert below(parts(), shown, LEAST_OF_PARTS) == {}


@pytest.mark.parametrize(("group", "least"), [(STATES, LEAST_OF_STATES), (LANES, LEAST_OF_LANES)], ids=["states", "lanes"])
def test_colors_that_mean_something_are_told_apart_by_any_sight(shown, group, least):
    pairs = itertools.product(itertools.combinations(group, 2), SIGHTS)
    figures = {(*pair, sight): distance(shown[pair[0]], shown[pair[1]], sight) for pair, sight in pairs}
    assert {pair: round(figure, 1) for pair, figure in figures.items() if figure < least} == {}


def test_no_color_is_written_outside_of_the_tokens():
    written = re.compile(r"#[0-9a-f]{3,8}\b(?![^{]*\{)|\b(?:rgb|hsl)a?\(", re.IGNORECASE)
    others = [path for path in web.FOLDER.rglob("*.css") if path.name != "tokens.css"]
    assert others
    assert [(path.name, line) for path in others for line in path.read_text(encoding="utf-8").splitlines() if written.search(line)] == []
