"""Figures of one width, at toy size: a table of one row and JSON, of an engine that is opened as asked."""

import json

from engines.contract.contract import Engine
from studio.measure.engines import width_figures
from tests.engines.qwen3_tts.checkpoints.opened import opened


def test_one_engine_is_opened_as_asked_and_all_of_its_rows_are_measured(monkeypatch, capsys):
    asked = []

    def open_toy(engine: str, size: str, *, device: str | None, dtype: str | None, options: dict) -> Engine:
        asked.append((engine, size, options))
        return opened(**options)

    monkeypatch.setattr(width_figures, "open_random_engine", open_toy)
    given = ["--engine", "qwen3_tts", "--width", "2", "--frames", "3", "--load-options", '{"trailing_silence_seconds": 0.5}', "--kernels"]
    assert width_figures.main(given) == 0
    *table, last = capsys.readouterr().out.splitlines()
    figures = json.loads(last)
    assert asked == [("qwen3_tts", "0.6B", {"width": 2, "trailing_silence_seconds": 0.5})]
    assert {line.count("|") for line in table} == {len(width_figures.COLUMNS) + 1} and len(table) == 3
    assert set(figures["audio_per_second"]) == {"1", "2"} and figures["ttfp_newcomer_seconds"].keys() == {"2"}
    assert figures["step_seconds"] == 2 * 0.08 / figures["audio_per_second"]["2"]
    assert figures["kernels"] is figures["used_device_bytes"] is None, "figures of a GPU are none elsewhere"
