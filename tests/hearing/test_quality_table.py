"""Claims about the table of clones: engines x speakers x texts, over a fake engine and stand-ins for the ears."""

import json
import sys

import numpy as np
import pytest
import soundfile

from engines.clip import Clip, Transcript
from studio.measure import quality
from studio.measure.quality import COLUMNS, measure_quality, quality_table
from studio.measure.quality_speakers import ClonedSpeaker, demo_speaker, recorded_speaker
from tests.ears_stand_in import install_ears
from tests.fake_engine import FakeEngine
from tests.ui.clips import speech_like
from tests.whisper_stand_in import install

RATE = 24_000
TEXTS = (("en 1", "en", "one two three"), ("en 2", "en", "one two"))


def speaker(name: str, seconds: float = 2.0) -> ClonedSpeaker:
    clip = Clip(speech_like(seconds, RATE), RATE)
    return ClonedSpeaker(name, clip, Transcript.of("the words", "en"), clip)


def test_every_engine_speaker_and_text_has_a_row_with_its_nearest_other_and_a_mean(monkeypatch, tmp_path):
    whisper, played = install(monkeypatch, tmp_path / "weights"), install_ears(monkeypatch)
    speakers = [speaker("ada", 2.0), speaker("bob", 3.0), speaker("eve", 4.0)]
    known = {len(one.clip.samples): np.eye(3)[number] for number, one in enumerate(speakers)}
    played.embedding = lambda clip: known.get(len(clip.samples), np.array([0.9, 0.3, 0.1]))
    rows = measure_quality({"fake": FakeEngine()}, speakers, TEXTS, transcriber=whisper.checkpoint)
    assert [(row.voice, row.text) for row in rows[:3]] == [("ada", "en 1"), ("ada", "en 2"), ("ada", "mean")] and len(rows) == 9
    first, second, mean = rows[:3]
    assert (first.likeness, first.impostor, first.impostor_name) == (pytest.approx(0.9), pytest.approx(0.3), "bob")
    assert (first.word_error_rate, second.word_error_rate, mean.word_error_rate) == (0, 0.5, 0.25)
    assert (first.distillmos, first.dnsmos, mean.distillmos) == (3.5, 3.1, 3.5)
    assert rows[3].likeness == pytest.approx(0.3) and rows[3].impostor_name == "ada"
    assert first.ttfp_seconds > 0 and first.rtf > 0 and first.lufs < 0
    lines = quality_table(rows).splitlines()
    assert len(lines) == 11 and lines[0].count("|") == lines[5].count("|") == len(COLUMNS) + 1
    assert "| 0.90 | 0.30 (bob) | 0.00 |" in lines[2]


def test_what_cannot_be_had_is_a_dash_and_a_refusal_is_said(monkeypatch):
    deaf = measure_quality({"fake": FakeEngine()}, [speaker("ada")], TEXTS[:1])
    assert "| - | - | - | - | - |" in quality_table(deaf) and deaf[0].lufs < 0
    (refused,) = measure_quality({"fake": FakeEngine()}, [speaker("ada", 0.1)], TEXTS)
    assert "refused: " in quality_table([refused])


def test_the_command_writes_what_it_prints(monkeypatch, tmp_path, capsys):
    soundfile.write(tmp_path / "ada.wav", speech_like(2.0, RATE), RATE)
    (tmp_path / "ada.txt").write_text("the words")
    monkeypatch.setattr(quality, "open_engine", lambda name, checkpoint=None: FakeEngine())
    file = tmp_path / "figures.json"
    monkeypatch.setattr(sys, "argv", ["quality", "--voices", f"ada={tmp_path / 'ada.wav'}", "--texts", "1", "--json", str(file)])
    quality.main()
    said, told = capsys.readouterr().out, json.loads(file.read_text())
    assert [row["voice"] for row in told["rows"]] == ["demo", "demo", "ada", "ada"] and "make ears" in said
    assert said.count("\n|") == 5


def test_of_a_folder_some_recordings_are_kept_for_comparison(tmp_path):
    for number in range(4):
        soundfile.write(tmp_path / f"{number}.wav", speech_like(1.0 + number, RATE), RATE)
        (tmp_path / f"{number}.txt").write_text(f"words {number}")
    found = recorded_speaker("ada", tmp_path, 5.0, "en")
    assert found.words.text == "words 2 words 1" and found.other.seconds == pytest.approx(5.5)
    (tmp_path / "1.txt").unlink()
    assert recorded_speaker("ada", tmp_path, 5.0, "en").words is None
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no WAV"):
        recorded_speaker("ada", tmp_path / "empty", 5.0, "en")
    assert demo_speaker().words is not None
