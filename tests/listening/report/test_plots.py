"""Claims about plots: pictures that are the same each time, on any thread, whatever systems are called, in the colors of the page."""

import io
import re
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from studio.listening.report.plots.plots import PLOTS, inline_plots, plot_png, plot_svg, plots_of, title_of
from studio.reports.palette import DARK, LIGHT, lane
from studio.ui.gradio import web
from studio.words.sentences import LANGUAGES, sentences_in
from tests.listening.report.sample_tests import HOSTILE, mos_findings, mushra_findings, say

DRAWN = [(findings, kind) for findings in (mushra_findings(), mos_findings()) for kind in plots_of(findings)]
SVG = "{http://www.w3.org/2000/svg}"


def drawn(findings, kind, **more) -> ET.Element:
    return ET.fromstring(plot_svg(findings, kind, say, **more))


def of_class(root: ET.Element, name: str, *attributes: str) -> list[tuple[float, ...]]:
    """Attributes of what is drawn of one kind, as figures."""
    return [tuple(float(node.attrib[one]) for one in attributes) for node in root.iter() if node.attrib.get("class") == name]


def middles(root: ET.Element) -> list[float]:
    """Where means stand, from the left: circles, and squares, turned ones too."""
    means = [node.attrib for node in root.iter() if node.attrib.get("class") == "mean"]
    return [float(mean["cx"]) if "cx" in mean else float(mean["x"]) + float(mean["width"]) / 2 for mean in means]


def texts(root: ET.Element, anchor: str) -> dict[str, float]:
    """Place from the left by text."""
    return {node.text: float(node.attrib["x"]) for node in root.iter(f"{SVG}text") if node.attrib["text-anchor"] == anchor}


def test_there_is_a_plot_of_whatever_there_are_figures_of():
    assert plots_of(mushra_findings()) == ("scores", "pairs", "wins")
    assert plots_of(mos_findings()) == ("scores", "histogram", "pairs")
    assert {kind for _, kind in DRAWN} == set(PLOTS)
    assert "wins" not in plots_of(replace(mushra_findings(), method="abx")), "a right answer prefers nothing"
    rated = replace(mos_findings(), pairs=(replace(mos_findings().pairs[0], wins=6.5, share=0.65),))
    assert "wins" in plots_of(rated) and "wins" not in plots_of(replace(rated, method="ab")), "whose pairs say it already"
    nothing = replace(mos_findings(), systems=(), pairs=())
    assert plots_of(nothing) == ()
    with pytest.raises(ValueError, match="nothing to be drawn"):
        plot_svg(nothing, "scores", say)


@pytest.mark.slow
@pytest.mark.parametrize(("findings", "kind"), DRAWN, ids=lambda one: one if isinstance(one, str) else one.method)
def test_a_plot_is_the_same_twice_on_two_threads_and_is_told_to_who_does_not_see_it(findings, kind):
    with ThreadPoolExecutor(2) as threads:
        svgs = set(threads.map(lambda _: plot_svg(findings, kind, say), range(2)))
        pngs = set(threads.map(lambda _: plot_png(findings, kind, say), range(2)))
    assert len(svgs) == len(pngs) == 1
    (svg,), (png,) = svgs, pngs
    root = ET.fromstring(svg)
    assert root.tag == f"{SVG}svg" and root.attrib["viewBox"] and root.attrib["role"] == "img"
    title, told = (next(root.iter(f"{SVG}{name}")) for name in ("title", "desc"))
    assert root.attrib["aria-labelledby"].split() == [title.attrib["id"], told.attrib["id"]]
    assert title.text == title_of(kind, findings, say) in {text.text for text in root.iter(f"{SVG}text")}
    named = findings.systems if kind in ("scores", "histogram") else findings.pairs
    assert told.text.count(":") >= len(named) and ("76" in told.text or "53 %" in told.text or "one" in told.text)
    assert not re.search(r"<style|<script|<metadata|<!DOCTYPE|href=|url\(", svg)
    assert set(re.findall(r"#[0-9a-f]{6}\b", svg)) <= set(LIGHT.values())
    width, height = (float(root.attrib[side]) for side in ("width", "height"))
    assert all(0 <= float(text.attrib["x"]) <= width and 0 < float(text.attrib["y"]) < height for text in root.iter(f"{SVG}text"))
    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))
    assert pixels.shape[1] > 800 and len(np.unique(pixels.reshape(-1, 3), axis=0)) > 10


def test_pairs_of_ratings_are_drawn_as_differences_and_pairs_of_votes_as_shares():
    rated, voted = mos_findings(), replace(mushra_findings(), method="ab")
    both = replace(rated, pairs=tuple(replace(pair, share=0.6) for pair in rated.pairs))
    assert title_of("pairs", both, say) == title_of("pairs", rated, say) != title_of("pairs", voted, say)
    assert plot_svg(both, "pairs", say) == plot_svg(rated, "pairs", say)
    scales = [texts(drawn(one, "pairs"), "middle") for one in (rated, replace(rated, method="cmos"), voted)]
    assert [list(scale)[:: len(scale) - 1] for scale in scales] == [["-1", "1"], ["-3", "3"], ["0", "100"]]
    evens = [set(of_class(drawn(one, "pairs"), "even", "x1", "x2")) for one in (rated, voted)]
    assert evens == [{(scale[even],) * 2} for scale, even in ((scales[0], "0"), (scales[2], "50"))]


def test_names_are_drawn_as_they_are_and_never_as_formulas_or_markup():
    for svg in (plot_svg(mushra_findings(), "scores", say), inline_plots(mushra_findings(), say)[0][1]):
        root = ET.fromstring(svg.replace(' xmlns="http://www.w3.org/2000/svg"', ""))
        words = {text.text for text in root.iter("text")}
        assert {HOSTILE[0], HOSTILE[2], f"{HOSTILE[3]}a□□ b"} <= words
        assert {node.tag for node in root.iter()} <= {"svg", "title", "desc", "text", "line", "rect", "circle"}
    long = replace(mos_findings().systems[0], label="很长的名字" * 20)
    assert any(text.endswith("…") and len(text) < 40 for text in texts(drawn(replace(mos_findings(), systems=(long,)), "scores"), "start"))


def test_each_listener_is_a_dot_and_means_and_ranges_stand_at_their_places_the_best_first():
    findings = mushra_findings()
    root = drawn(findings, "scores")
    assert len(of_class(root, "dot", "cx")) == sum(len(system.by_listener) for system in findings.systems)
    fewer = replace(findings, systems=tuple(replace(system, by_listener={}) for system in reversed(findings.systems)))
    assert of_class(drawn(fewer, "scores"), "dot", "cx") == []
    assert middles(drawn(fewer, "scores")) == middles(root)
    scale = texts(root, "middle")
    assert list(scale) == ["0", "20", "40", "60", "80", "100"]
    lines = sorted(set(of_class(root, "line", "x1", "x2")))
    at = lambda value: np.interp(value, (0, 100), (lines[0][0], lines[-1][0]))  # noqa: E731
    assert np.allclose([x for x, _ in lines], at([0, 20, 40, 60, 80, 100]), atol=0.02)
    assert np.allclose(middles(root), at([system.mean for system in findings.systems]), atol=0.02)
    ranges = [(system.low, system.high) for system in findings.systems]
    assert np.allclose(of_class(root, "range", "x1", "x2"), at(ranges), atol=0.02)
    assert list(texts(root, "end")) == ["94", "76", "72", "41", "18"]
    assert len(texts(root, "start")) == 1 + len(findings.systems)


def test_a_histogram_has_a_bar_for_each_mark_as_high_as_it_was_given_often():
    first, second = mos_findings().systems
    root = drawn(replace(mos_findings(), systems=(first, replace(second, histogram=(0, 0, 8, 0, 2)))), "histogram")
    heights = np.array(of_class(root, "bar", "height"))[:, 0].reshape(2, 5)
    assert np.allclose(heights / heights.max(), [[0, 1 / 4, 3 / 4, 1, 1 / 2], [0, 0, 1, 0, 1 / 4]], atol=0.01)
    written = [text.text for text in root.iter(f"{SVG}text") if text.attrib["text-anchor"] == "middle"]
    assert written == [*"1342", *"82", *"12345"]


def test_the_matrix_says_how_often_the_row_was_preferred_to_the_column():
    root = drawn(mushra_findings(), "wins")
    written = [text.text for text in root.iter(f"{SVG}text") if text.text.endswith("%")]
    assert written == ["53 %", "93 %", "47 %", "83 %", "7 %", "17 %"]
    assert len(of_class(root, "bar", "x")) == 9


def test_colors_are_the_tokens_of_the_page():
    light, dark = re.split(r"\n\.dark \{", (web.FOLDER / web.SHEETS / "tokens.css").read_text(encoding="utf-8"))
    for palette, text in ((LIGHT, light), (DARK, dark)):
        tokens = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", text))
        assert {name: tokens[name] for name in palette} == palette
    assert len({lane(number) for number in range(6)}) == 6 and lane(6) == lane(0)
    inline = dict(zip(plots_of(mushra_findings()), inline_plots(mushra_findings(), say, ("zero", "one", "two")), strict=True))
    for title, svg in inline.values():
        assert "#" not in svg.replace("&#", "") and set(re.findall(r"var\(--([\w-]+)\)", svg)) <= LIGHT.keys()
        assert title in svg
    colors = [node.attrib["stroke"] for node in ET.fromstring(inline["scores"][1]).iter() if node.attrib.get("class") == "range"]
    assert colors == [f"var(--lane-{letter})" for letter in "fbcff"], "by the letters of the plan; what is none of its systems has the last"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plot_is_drawn_in_each_language(language):
    for findings, kind in DRAWN:
        assert plot_svg(findings, kind, lambda key, values: sentences_in(language).words(f"tests.{key}", values))
