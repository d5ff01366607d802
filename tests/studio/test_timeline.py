"""Timeline and Playback: one clock, and a listener who is only simulated."""

import numpy as np
import pytest

from studio.running.stream import Playback
from studio.timeline import Timeline


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def timeline_of(**marks: float) -> Timeline:
    """A timeline with marks at milliseconds after arrival."""
    clock = Clock()
    timeline = Timeline(clock=clock)
    for name, milliseconds in marks.items():
        clock.now = 100.0 + milliseconds / 1000
        timeline.mark(name)
    return timeline


def test_the_stages_up_to_the_first_audio_add_up_to_the_ttfp():
    timeline = timeline_of(resolved=2, prompt=5, submitted=5.5, started=9, first_audio=20, done=50)
    stages = timeline.stages()
    assert timeline.ttfp_seconds == pytest.approx(0.020)
    assert stages["resolve"] + stages["prompt"] + stages["queue"] + stages["first_chunk"] == pytest.approx(0.020)
    assert stages["total"] == pytest.approx(0.050)


def test_server_timing_names_every_stage_and_the_cache_outcome():
    timeline = timeline_of(resolved=2, prompt=5, started=9, first_audio=20, packet=20.5, done=50)
    timeline.cache = "miss"
    timeline.span("extract", 0.0025)
    assert timeline.server_timing().split(", ") == [
        "resolve;dur=2.00",
        'prompt;dur=3.00;desc="miss"',
        "extract;dur=2.50",
        "queue;dur=4.00",
        "first_chunk;dur=11.00",
        "first_audio;dur=20.00",
        "packet;dur=20.50",
        "total;dur=50.00",
    ]


@pytest.mark.parametrize(
    ("cache", "loaded", "start"),
    [
        ("hit", False, "warm"),
        ("disk", False, "disk"),
        ("miss", False, "cold"),
        (None, False, "cold"),
        ("hit", True, "cold"),
        ("disk", True, "cold"),
    ],
)
def test_how_a_speech_started_is_told_as_the_page_tells_it(cache, loaded, start):
    timeline = timeline_of(first_audio=10)
    timeline.cache = cache
    if loaded:
        timeline.span("load", 0.5)
    assert timeline.start == start


def test_a_mark_keeps_its_first_time_and_an_unknown_one_is_an_error():
    timeline = timeline_of(first_audio=10)
    timeline._clock.now += 1
    timeline.mark("first_audio")
    assert timeline.ttfp_seconds == pytest.approx(0.010)
    with pytest.raises(ValueError, match="no mark"):
        timeline.mark("first_adio")


def test_rtf_is_engine_time_per_audio_time():
    timeline = timeline_of()
    assert timeline.rtf is None
    timeline.compute_seconds, timeline.audio_seconds = 0.5, 2.0
    assert timeline.rtf == 0.25


def test_a_late_chunk_is_an_underrun_of_exactly_its_lateness():
    playback = Playback(1000)
    playback.receive(np.ones(100, np.float32), now=10.0)  # plays until 10.1
    playback.receive(np.ones(100, np.float32), now=10.05)  # until 10.2
    assert playback.underrun_seconds == 0
    playback.receive(np.ones(100, np.float32), now=10.25)  # 50 ms late, until 10.35
    assert playback.underrun_seconds == pytest.approx(0.05)
    assert playback.dry_at == pytest.approx(10.35)


def test_the_first_audible_sample_is_where_the_level_passes_minus_50_dbfs():
    playback = Playback(1000)
    silence, speech = np.full(100, 0.001, np.float32), np.full(100, 0.1, np.float32)
    playback.receive(silence, now=1.0)
    assert playback.audible_at is None
    playback.receive(speech, now=1.02)
    assert playback.audible_at == pytest.approx(1.1)


def test_audible_windows_straddle_chunks():
    playback = Playback(1000)  # windows of 10 samples
    playback.receive(np.zeros(15, np.float32), now=0.0)
    playback.receive(np.full(15, 0.1, np.float32), now=0.0)
    assert playback.audible_at == pytest.approx(0.010)  # the window from sample 10 to 20 is half loud
