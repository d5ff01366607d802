"""Claims about the page: it needs nothing but the sounds beside it, runs nothing of what people wrote, and tells all, the worst first."""

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from math import inf

import pytest

from studio.evaluations.gate.gate import GateLine, GateResult
from studio.evaluations.plan.cell import CellMeasures
from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.report import sounds_section
from studio.evaluations.report.evaluation_report import ReportBeside, html_report
from studio.evaluations.report.result_tables import best_of, pairs_table
from studio.evaluations.report.sound_names import sound_names
from studio.evaluations.statistics.findings import PairComparison
from studio.evaluations.statistics.run_comparison import NOW, THEN, RunChange, RunComparison
from studio.words.sentences import LANGUAGES
from tests.evaluations.drawn_evaluation import HOSTILE, Drawn, drawn_evaluation
from tests.evaluations.drawn_findings import drawn_findings
from tests.evaluations.report.spoken_words import words_in

SMALL = Drawn(n_voices=2, n_texts=11, languages=("en", "de", "zh", "ar"), refused_every=6)


class ReportPage(HTMLParser):
    """Tags, attributes and words; `stack` is empty at the end of one whose tags are closed in order."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: list[str] = []
        self.stack: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    def values(self, name: str) -> list[str]:
        return [value or "" for known, value in self.attributes if known == name]


def report(data: EvaluationData, language: str = "en", beside: ReportBeside | None = None) -> str:
    names = sound_names(data)
    return html_report(data, drawn_findings(data), words_in(language), lambda key, _: names[key], beside)


@pytest.fixture(scope="module")
def hostile() -> str:
    return report(drawn_evaluation(replace(SMALL, is_hostile=True)))


def test_the_page_needs_nothing_but_sounds_and_runs_its_own_script_alone(hostile: str) -> None:
    page = ReportPage(hostile)
    assert not page.stack
    assert not {"link", "img", "iframe", "object", "base"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "://" not in hostile and "@import" not in hostile and "url(" not in hostile
    assert all(source.startswith("sounds/") for source in page.values("src"))
    scripts = re.findall(r"<script>(.*?)</script>", hostile, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert len(scripts) == 1 and f"script-src 'sha256-{digest}'" in hostile and "default-src 'none'" in hostile


def test_what_people_wrote_is_shown_as_it_is(hostile: str) -> None:
    assert HOSTILE in ReportPage(hostile).words
    assert "<script>alert" not in hostile


def test_every_sound_has_a_player_beside_its_figures_and_a_refusal_its_reason() -> None:
    data = drawn_evaluation(SMALL)
    page = ReportPage(report(data))
    assert sorted(page.values("src")) == sorted(sound_names(data).values())
    assert set(page.values("preload")) == {"none"}
    refused = [cell for cell in data.cells if cell.said.refused]
    assert refused and sum("no voice in Arabic" in word for word in page.words) == len(refused)


def test_a_text_has_its_language_and_is_written_in_its_own_direction() -> None:
    text = report(drawn_evaluation(SMALL))
    assert '<h3 dir="auto" lang="ar">تغادر' in text and '<h3 dir="auto" lang="zh">渡轮' in text


def test_the_worst_stand_first_and_toys_are_not_counted_among_them() -> None:
    text = report(drawn_evaluation(replace(SMALL, labels=("A", "B", "Toy"), n_toys=1, gap=2)))
    worst = [float(value) for value in ReportPage(text).values("data-wrong-words")]
    assert worst == sorted(worst, reverse=True)
    data = drawn_evaluation(replace(SMALL, labels=("A", "B", "Toy"), n_toys=1, gap=2))
    of_all = max(cell.measures.values["wrong_words"] for cell in data.cells if cell.measures)
    assert worst[0] <= of_all and "Toy (toy)" in text


def test_words_that_were_lost_and_added_are_marked() -> None:
    data = drawn_evaluation(SMALL)
    cell = next(cell for cell in data.cells if cell.measures and cell.key.text == "en-01")
    heard = CellMeasures({"wrong_words": 25.0}, "the fairy leaves the harbor before sunrise", 8)
    text = report(replace(data, cells=(replace(cell, measures=heard),)))
    assert "the <del>ferry</del> <ins>fairy</ins> leaves the harbor <del>shortly</del> before sunrise" in text


def test_a_page_has_so_many_sounds_at_most_and_says_how_many_more_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sounds_section, "MOST_SOUNDS", 40)
    text = report(drawn_evaluation(replace(SMALL, refused_every=0)))
    assert ReportPage(text).tags.count("audio") == 40 and "48 more sounds" in text


def test_what_holds_for_these_voices_alone_has_a_table_of_its_own_where_it_is_another() -> None:
    findings = replace(drawn_findings(drawn_evaluation(SMALL)), voice_pairs=())
    for_any, pairs = pairs_table(findings, words_in()), tuple(replace(pair, difference=9.87, ratio=None) for pair in findings.pairs)
    alone = pairs_table(replace(findings, voice_pairs=pairs), words_in(), of_these_voices=True)
    assert not pairs_table(findings, words_in(), of_these_voices=True)
    assert ("9.87" in alone, "9.87" in for_any) == (True, False)


def test_bold_is_better_than_one_and_worse_than_none() -> None:
    def pair(one: str, other: str, difference: float, p: float) -> PairComparison:
        low, high = difference - 0.1, difference + 0.1
        return PairComparison(one, other, "likeness", 9, difference, low_all=low, high_all=high, p_all=p)

    assert best_of([pair("a", "b", 0.5, 0.001), pair("a", "c", 0.1, 0.3), pair("b", "c", -0.4, 0.001)], "likeness") == {"a", "c"}
    assert best_of([pair("a", "b", 0.5, 0.06)], "likeness") == frozenset()
    assert best_of([pair("a", "b", 0.5, 0.001), pair("b", "c", 0.5, 0.001), pair("a", "c", 0.5, 0.3)], "likeness") == {"a"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_is_whole_in_each_language(language: str) -> None:
    data = drawn_evaluation(replace(SMALL, labels=("A", "B", "C"), n_toys=1))
    text = report(data, language, ReportBeside(runs=_runs(), gate=_gate(), files={"cells.csv": "cells.csv"}))
    page = ReportPage(text)
    assert f'<html lang="{language}">' in text and not page.stack
    ids = page.values("id")
    assert len(set(ids)) == len(ids)
    assert {href[1:] for href in page.values("href") if href.startswith("#")} <= set(ids)
    assert {"gate", "runs", "languages", "kinds", "steadiness", "speed", "every-sound", "how"} <= set(ids)
    assert set(page.values("scope")) == {"col", "row"}


def test_an_evaluation_of_which_little_is_known_makes_a_page_too() -> None:
    data = drawn_evaluation(Drawn(labels=("A", "B"), n_voices=1, n_texts=2, languages=("en",), seeds=(0,)))
    cells = tuple(replace(cell, measures=None, said=replace(cell.said, ttfp_seconds=None, rtf=None)) for cell in data.cells)
    text = report(replace(data, cells=cells, voices=(), systems=(), floors=()))
    assert ReportPage(text).tags.count("audio") == 4 and "A" in text


def test_ranges_without_end_are_drawn_to_the_end_of_the_scale_and_told_as_such() -> None:
    data = drawn_evaluation(SMALL)
    found = drawn_findings(data)
    far = {"low": -1e30, "high": 1e30, "low_all": -1e30, "high_all": inf}
    pairs = tuple(replace(pair, **(far if pair.ratio is None else far | {"low": 0.0, "low_all": 1e-9})) for pair in found.pairs)
    means = tuple(replace(mean, low=-inf, high=1e40) for mean in found.means)
    text = html_report(data, replace(found, pairs=pairs, means=means), words_in(), lambda key, _: "sounds/a.flac")
    assert "&lt; 0.001 to &gt; 1,000" in text and "−∞ to ∞" in text
    places = [float(place) for place in re.findall(r'x[12]="([^"]+)"', text)]
    assert places and min(places) >= 0 and max(places) <= 380


def _runs() -> RunComparison:
    change = PairComparison(NOW, THEN, "rtf", 20, ratio=0.5, low=0.4, high=0.6, p=0.001, low_all=0.4, high_all=0.6, p_all=0.001)
    return RunComparison(("s1",), (), (), 20, 1, 2, (RunChange("s1", "A", change),), {}, True, True, ())


def _gate() -> GateResult:
    return GateResult(False, (GateLine("note_one_voice", is_passed=False),))
