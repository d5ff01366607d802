"""Claims about an evaluation's report as a file in Chromium: sounds play, nothing else is fetched, and it serves who runs no script."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from studio.audio.flac import flac_of
from studio.evaluations.report.written_report import write_report
from tests.browser.driving.complaints import hear_strangers
from tests.evaluations.drawn_evaluation import Drawn, drawn_evaluation
from tests.evaluations.drawn_findings import drawn_findings
from tests.evaluations.report.spoken_words import words_in

RATE_HZ = 24_000
SECONDS = 3


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    """A report of 24 sounds, each of which is the same tone."""
    kept = tmp_path_factory.mktemp("kept") / "tone.flac"
    tone = flac_of((8000 * np.sin(2 * np.pi * 220 * np.arange(SECONDS * RATE_HZ) / RATE_HZ)).astype(np.int16), RATE_HZ)
    kept.write_bytes(tone.read())
    tone.close()
    data = drawn_evaluation(Drawn(n_voices=2, n_texts=6, languages=("en", "ar"), seeds=(0,), is_hostile=True))
    return write_report(tmp_path_factory.mktemp("report"), data, drawn_findings(data), words_in(), sound_path=lambda sound: kept)


def test_sounds_play_one_at_a_time_and_nothing_is_fetched_from_elsewhere(report: Path, visit: Callable[..., Page], complaints: list[str]):
    page = visit()
    hear_strangers(page, report.as_uri(), complaints.append)
    page.goto(report.as_uri())
    page.locator("#every-sound").scroll_into_view_if_needed()
    players = page.locator("article audio")
    expect(players).not_to_have_count(0)
    players.nth(0).evaluate("player => player.play()")
    assert players.nth(0).evaluate("player => player.duration") == pytest.approx(SECONDS, abs=0.01)
    players.nth(1).evaluate("player => player.play()")
    expect(players.nth(0)).to_have_js_property("paused", True)
    assert not players.nth(0).evaluate("player => player.ended")


def test_sounds_come_in_another_order_and_alone(report: Path, visit: Callable[..., Page]):
    page = visit()
    page.goto(report.as_uri())
    page.get_by_label("Order").select_option(label="As planned")
    order = page.locator("article").evaluate_all("groups => groups.map((group) => Number(group.dataset.plan))")
    assert order == sorted(order) and len(order) == 12
    page.get_by_label("Language").select_option(label="Arabic")
    expect(page.locator("article:visible")).to_have_count(2)
    expect(page.get_by_role("status")).to_have_text("2 / 12")


def test_who_runs_no_script_has_every_player_and_a_phone_no_wide_page(report: Path, visit: Callable[..., Page]):
    page = visit(390, java_script_enabled=False)
    page.goto(report.as_uri())
    expect(page.locator("article audio")).to_have_count(24)
    expect(page.locator("#choose")).to_be_hidden()
    wide = visit(390)
    wide.goto(report.as_uri())
    assert wide.evaluate("document.documentElement.scrollWidth") == 390
