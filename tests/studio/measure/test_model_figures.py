"""Figures of a model, at toy size: every number is there, for every number of streams, and the last line is JSON that a program reads."""

import json

import pytest

from engines.contract.contract import Engine
from engines.kit.gauges.device_figures import count_kernels, peak_device_bytes
from studio.measure.engines import model_figures
from studio.measure.engines.drawn_speech import drawn_speech_options
from tests.engines.qwen3_tts.checkpoints.opened import opened
from tests.stand_ins.fake_engine import FakeEngine

LATER = "figures of a GPU are none elsewhere"


@pytest.fixture
def widths(monkeypatch) -> list[int]:
    """Widths of the engines that were opened, which are toys."""
    seen = []

    def open_toy(engine: str, size: str, *, device: str | None, dtype: str | None, options: dict) -> Engine:
        seen.append(options["width"])
        return opened(**options)

    monkeypatch.setattr(model_figures, "open_random_engine", open_toy)
    return seen


def test_turns_and_common_steps_are_compared_for_every_number_of_streams(widths, capsys):
    assert model_figures.main(["--engine", "qwen3_tts", "--size", "0.6B", "--dtype", "float32", "--streams", "1,2", "--frames", "3"]) == 0
    *table, last = capsys.readouterr().out.splitlines()
    figures = json.loads(last)
    assert widths == [1, 2]
    assert (figures["frames"], figures["frame_seconds"]) == (3, 0.08)
    assert (figures["engine"], figures["size"], figures["dtype"]) == ("qwen3_tts", "0.6B", "float32")
    assert set(figures["turns"]["audio_per_second"]) == {"1", "2"}
    times = ("ttfp_newcomer_seconds", "ttfp_newcomer_over_alone", "ttfp_all_at_once_seconds")
    for each in ("batched_over_turns", *times, "lone_stream_over_width_1"):
        assert set(figures[each]) == {"2"} and min(figures[each].values()) > 0
    assert figures["ttfp_seconds"] > 0 and figures["rtf"] > 0
    assert figures["turns"]["kernels_per_frame"] is figures["turns"]["peak_device_bytes"] is None, LATER
    assert {line.count("|") for line in table if line.startswith("|")} == {9}
    assert sum(line.startswith("| ") for line in table) == 3


def test_every_stream_speaks_as_many_frames_as_were_asked_for():
    engine = opened(width=2)
    speeches = model_figures.Speeches(engine, model_figures.prepared_prompt(engine), 7)
    assert speeches._advance([speeches._stream(seed) for seed in range(3)], 7) == 3 * 7 * 1920


def test_a_text_has_as_many_frames_as_it_takes_to_read_it_unless_said_otherwise():
    engine = opened()
    assert model_figures.Speeches(engine, model_figures.prepared_prompt(engine), None).n_frames == 63


def test_the_company_of_a_newcomer_goes_on_where_its_text_has_ended():
    engine = FakeEngine(seconds_per_character=0.4 / len(model_figures.TEXT))  # a text is over after five frames
    engine.width = 2
    speeches = model_figures.Speeches(engine, engine.preset("tone"), None)
    n_others, n_before = 1, len(engine.texts)
    speeches.first_audio_seconds(n_others)
    n_restarted = len(engine.texts) - n_before - n_others - model_figures.N_FIRST
    assert n_restarted == 1


@pytest.mark.parametrize(("n_frames", "asked"), [(400, (15, 31)), (5, (5, 5))])
def test_kernels_are_counted_per_frame_however_early_the_text_ends(n_frames, asked, monkeypatch):
    """As if every frame took three kernels, and a speech ten more."""
    engine = FakeEngine(seconds_per_character=n_frames * 0.08 / len(model_figures.TEXT))
    counted = []

    def count(work, device):
        before = engine.chunks_made
        work()
        counted.append(engine.chunks_made - before)
        return 3 * counted[-1] + 10

    monkeypatch.setattr(model_figures, "count_kernels", count)
    kernels = model_figures.Speeches(engine, engine.preset("tone"), None).kernels_per_frame()
    assert tuple(counted) == asked
    assert kernels == (3 if n_frames == 400 else 3 + 10 / 5)


def test_drawn_speech_goes_on_whatever_it_sounds_like_and_unknown_options_are_left_out():
    options = drawn_speech_options(opened(), seed=3, unheard_of=1)
    assert (options["runaway_guard"], options["seed"]) == (False, 3)
    assert "unheard_of" not in options


@pytest.mark.parametrize("wrong", [["--size", "9B"], ["--streams", "0"], ["--engine", "espeak"]])
def test_what_there_is_no_figure_of_is_refused(widths, wrong, capsys):
    with pytest.raises(SystemExit):
        model_figures.main(["--engine", "qwen3_tts", "--size", "0.6B", *wrong])
    assert not widths
    assert capsys.readouterr().err


def test_what_only_a_gpu_has_is_none_elsewhere():
    assert count_kernels(lambda: None, "cpu") is None
    assert peak_device_bytes("cpu") is None
