"""Claims about plots: pictures that are the same each time, on any thread, whatever systems are called, in the colors of the page."""

import io
import re
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from PIL import Image

from studio.listening.report.plots.palette import DARK, LIGHT, lane
from studio.listening.report.plots.plots import PLOTS, plot_png, plot_svg, plots_of, title_of
from studio.ui.gradio import web
from tests.listening.report.sample_tests import HOSTILE, mos_findings, mushra_findings, say

DRAWN = [(findings, kind) for findings in (mushra_findings(), mos_findings()) for kind in plots_of(findings)]


def test_there_is_a_plot_of_whatever_there_are_figures_of():
    assert plots_of(mushra_findings()) == ("scores", "pairs", "wins")
    assert plots_of(mos_findings()) == ("scores", "histogram", "pairs")
    assert {kind for _, kind in DRAWN} == set(PLOTS)
    nothing = replace(mos_findings(), systems=(), pairs=())
    assert plots_of(nothing) == ()
    with pytest.raises(ValueError, match="nothing to be drawn"):
        plot_svg(nothing, "scores", say)


@pytest.mark.slow
@pytest.mark.parametrize(("findings", "kind"), DRAWN, ids=lambda one: one if isinstance(one, str) else one.method)
def test_a_plot_is_the_same_twice_on_two_threads_and_leaves_the_settings_alone(findings, kind):
    before = dict(matplotlib.rcParams)
    with ThreadPoolExecutor(2) as threads:
        svgs = set(threads.map(lambda _: plot_svg(findings, kind, say), range(2)))
        pngs = set(threads.map(lambda _: plot_png(findings, kind, say), range(2)))
    assert len(svgs) == len(pngs) == 1
    assert dict(matplotlib.rcParams) == before
    (svg,), (png,) = svgs, pngs
    root = ET.fromstring(svg)
    assert root.tag.endswith("svg") and root.attrib["viewBox"]
    words = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert title_of(kind, findings, say) in words
    assert not re.search(r"<style|<script|<metadata|<!DOCTYPE|xlink|href=\"(?!#)", svg)
    used = set(re.findall(r"url\(#([^)]+)\)|href=\"#([^\"]+)", svg))
    assert {name for names in used for name in names if name} <= {node.attrib["id"] for node in root.iter() if "id" in node.attrib}
    assert set(re.findall(r"#[0-9a-f]{6}\b", svg)) <= set(LIGHT.values())
    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))
    assert pixels.shape[1] > 800 and len(np.unique(pixels.reshape(-1, 3), axis=0)) > 10


def test_pairs_of_ratings_are_drawn_as_differences_and_pairs_of_votes_as_shares():
    rated, voted = mos_findings(), replace(mushra_findings(), method="ab")
    both = replace(rated, pairs=tuple(replace(pair, share=0.6) for pair in rated.pairs))
    assert title_of("pairs", both, say) == title_of("pairs", rated, say) != title_of("pairs", voted, say)
    assert plot_svg(both, "pairs", say) == plot_svg(rated, "pairs", say)


def test_names_are_drawn_as_they_are_and_never_as_formulas_or_markup():
    root = ET.fromstring(plot_svg(mushra_findings(), "scores", say))
    words = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {HOSTILE[2], f"{HOSTILE[3]}a□□ b"} <= words and any(text.startswith("<img") for text in words)


def test_each_listener_is_a_dot_and_the_mean_stands_at_its_place():
    findings = mushra_findings()
    fewer = replace(findings, systems=tuple(replace(system, by_listener={}) for system in findings.systems))
    dots = [plot_svg(one, "scores", say).count("<use ") for one in (findings, fewer)]
    assert dots[0] - dots[1] == sum(len(system.by_listener) for system in findings.systems)
    drawn = [re.search(r'<use x="([\d.]+)"', plot_svg(replace(fewer, systems=(system,)), "scores", say)) for system in fewer.systems]
    places, means = [float(found[1]) for found in drawn], [system.mean for system in fewer.systems]
    marks = re.findall(r"text-anchor: (\w+)", plot_svg(fewer, "scores", say))
    assert {anchor: marks.count(anchor) for anchor in set(marks)} == {"start": 1 + 2 * len(fewer.systems), "middle": 6}
    assert np.allclose(np.polyval(np.polyfit(means, places, 1), means), places, atol=0.1)


def test_colors_are_the_tokens_of_the_page():
    light, dark = re.split(r"\n\.dark \{", (web.FOLDER / web.SHEETS / "tokens.css").read_text(encoding="utf-8"))
    for palette, text in ((LIGHT, light), (DARK, dark)):
        tokens = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", text))
        assert {name: tokens[name] for name in palette} == palette
    assert len({lane(number) for number in range(6)}) == 6 and lane(6) == lane(0)
