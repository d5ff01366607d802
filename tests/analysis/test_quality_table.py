"""Claims about the table of clones: engines x speakers x texts, over a fake engine and stand-ins for the ears."""

import json
import sys
from dataclasses import replace

import av
import numpy as np
import pytest
import soundfile

from engines.clips.clip import Clip, Transcript
from engines.espeak.training.spoken_pool import POOL_SENTENCES
from engines.espeak.training.voices.texts import SENTENCES
from engines.text.language_guess import guess_language
from studio.measure.quality import quality
from studio.measure.quality.quality import QualityRun, languages_with_texts
from studio.measure.quality.quality_bounds import copied
from studio.measure.quality.quality_judge import BESIDE, Judging, measure_quality
from studio.measure.quality.quality_prompts import prompt_speaker
from studio.measure.quality.quality_rows import COLUMNS, quality_summary, quality_table
from studio.measure.quality.quality_speakers import CLIP_TEXT, OTHER_TEXT, ClonedSpeaker, demo_speaker, recorded_speaker
from tests.stand_ins.estimators_stand_in import install_ears
from tests.stand_ins.fake_engine import FakeEngine
from tests.stand_ins.whisper_stand_in import install
from tests.ui.clips.clips import speech_like

RATE = 24_000
TEXTS = (("en 1", "en", "red green blue"), ("en 2", "en", "red green"))


def speaker(name: str, seconds: float = 2.0, person: str = "") -> ClonedSpeaker:
    clip = Clip(speech_like(seconds, RATE), RATE)
    return ClonedSpeaker(name, clip, Transcript.of("the words", "en"), clip, person)


def write_g722(path, tone_hz: float, seconds: float) -> None:
    """A tone, as the packages' prompts are."""
    tone = (12_000 * np.sin(2 * np.pi * tone_hz * np.arange(round(seconds * 16_000)) / 16_000)).astype(np.int16)
    with av.open(str(path), "w", format="g722") as container:
        stream = container.add_stream("g722", rate=16_000, layout="mono")
        for part in np.split(tone, range(320, len(tone), 320)):
            frame = av.AudioFrame.from_ndarray(part[None], format="s16", layout="mono")
            frame.sample_rate = 16_000
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def test_every_engine_speaker_and_text_has_a_row_with_its_nearest_other_and_a_mean(monkeypatch, tmp_path):
    whisper, played = install(monkeypatch, tmp_path / "weights"), install_ears(monkeypatch)
    speakers = [speaker("ada", 2.0), speaker("bob", 3.0), speaker("eve", 4.0)]
    known = {len(one.clip.samples): np.eye(3)[number] for number, one in enumerate(speakers)}
    played.embedding = lambda clip: known.get(len(clip.samples), np.array([0.9, 0.3, 0.1]))
    rows = measure_quality({"fake": FakeEngine()}, speakers, TEXTS, Judging(whisper.checkpoint))
    assert [(row.voice, row.text) for row in rows[:3]] == [("ada", "en 1"), ("ada", "en 2"), ("ada", "mean")] and len(rows) == 9
    first, second, mean = rows[:3]
    assert (first.likeness, first.impostor, first.impostor_name) == (pytest.approx(0.9), pytest.approx(0.3), "bob")
    assert (first.word_error_rate, second.word_error_rate, mean.word_error_rate) == (0, 0.5, 0.25)
    assert (first.distillmos, first.dnsmos, mean.distillmos) == (3.5, 3.1, 3.5)
    assert rows[3].likeness == pytest.approx(0.3) and rows[3].impostor_name == "ada"
    assert first.ttfp_seconds > 0 and first.rtf > 0 and first.lufs < 0
    lines = quality_table(rows).splitlines()
    assert len(lines) == 11 and lines[0].count("|") == lines[5].count("|") == len(COLUMNS) + 1
    assert "| 0.90 | 0.30 (bob) | 0.90 | 0.30 | - | - | - | - | 0.00 |" in lines[2]


def test_what_a_voice_says_in_a_language_is_compared_four_at_a_time_as_well(monkeypatch):
    """The stand-in tells speeches that are joined by their joints."""
    played, heard = install_ears(monkeypatch), []
    ada, bob = speaker("ada"), speaker("bob", 3.0)
    known = {ada.clip.digest: np.array([1.0, 0.0]), bob.clip.digest: np.array([0.6, 0.8])}
    played.embedding = lambda clip: heard.append(clip) or known.get(clip.digest, np.array([0.5, 0.1 * len(clip.joints)]))
    texts = [(f"en {number}", "en", "one two " * number) for number in range(1, 7)] + [("fr 1", "fr", "un deux")]
    rows = measure_quality({"fake": FakeEngine()}, [ada], texts, Judging(measures=("likeness",), others=(bob,)))
    assert [row.likeness for row in rows[:7]] == [pytest.approx(0.5)] * 7
    assert [row.impostor for row in rows[:7]] == [pytest.approx(0.3)] * 7
    in_english = 0.3 + 0.8 * np.mean([0.3, 0.1])
    assert [row.impostor_of_four for row in rows[:7]] == [pytest.approx(in_english)] * 6 + [pytest.approx(0.3)]
    assert rows[7].impostor_of_four == pytest.approx((6 * in_english + 0.3) / 7) and rows[7].likeness_of_four == pytest.approx(0.5)
    four, two, one = heard[-3:]
    assert [clip.n_recordings for clip in (four, two, one)] == [4, 2, 1]
    assert [part.digest for part in (*four.recordings(), *two.recordings(), one)] == [clip.digest for clip in heard[2:9]]


def test_a_person_is_what_four_recordings_at_a_time_have_in_common(monkeypatch):
    played = install_ears(monkeypatch)
    played.embedding = lambda clip: np.eye(2)[0] if clip.n_recordings == 4 else np.eye(2)[1]
    ada = speaker("ada")
    samples = ada.clip.samples
    ada = replace(ada, other=Clip(np.tile(samples, 6), RATE, tuple(len(samples) * n for n in range(1, 6))))
    (row, _) = measure_quality({"fake": FakeEngine()}, [ada], TEXTS[:1], Judging(measures=("likeness",)))
    assert row.likeness == pytest.approx(np.sqrt(0.5))


def test_what_cannot_be_had_is_a_dash_and_a_refusal_is_said(monkeypatch):
    no_estimators = measure_quality({"fake": FakeEngine()}, [speaker("ada")], TEXTS[:1])
    assert "| - | - | - | - | - | - |" in quality_table(no_estimators) and no_estimators[0].lufs < 0
    (refused,) = measure_quality({"fake": FakeEngine()}, [speaker("ada", 0.1)], TEXTS)
    assert "refused: " in quality_table([refused])


def test_the_command_writes_what_it_prints(monkeypatch, tmp_path, capsys):
    soundfile.write(tmp_path / "ada.wav", speech_like(2.0, RATE), RATE)
    (tmp_path / "ada.txt").write_text("the words")
    monkeypatch.setattr(quality, "open_engine", lambda name, checkpoint=None: FakeEngine())
    file = tmp_path / "figures.json"
    what = ["--voices", f"ada={tmp_path / 'ada.wav'}", "--texts", "1", "--beside", "recording", "--without", "likeness"]
    monkeypatch.setattr(sys, "argv", ["quality", *what, "--keep", str(tmp_path / "kept"), "--json", str(file)])
    quality.main()
    said, told = capsys.readouterr().out, json.loads(file.read_text())
    rows = [(row["engine"], row["voice"]) for row in told["rows"]]
    assert rows == [("recording", "demo"), ("recording", "ada"), *[("espeak", "demo")] * 2, *[("espeak", "ada")] * 2]
    assert "No words: " in said and "No distillmos: " in said and "No likeness: " not in said
    assert said.count("\n|") == 11  # heads, lines below them, six rows, two means; the first begins no new line
    kept = {path.name for path in (tmp_path / "kept").iterdir()}
    assert kept == {"recording-demo.wav", "recording-ada.wav", "espeak-demo-en-1.wav", "espeak-ada-en-1.wav"}


def test_of_a_folder_some_recordings_are_kept_for_comparison(tmp_path):
    for number in range(4):
        soundfile.write(tmp_path / f"{number}.wav", speech_like(1.0 + number, RATE), RATE)
        (tmp_path / f"{number}.txt").write_text(f"words {number}")
    found = recorded_speaker("ada", tmp_path, 5.0, "en")
    assert found.words.text == "words 2 words 1" and found.other.seconds == 5.0 and found.other.joints == (4 * RATE,)
    (tmp_path / "1.txt").unlink()
    assert recorded_speaker("ada", tmp_path, 5.0, "en").words is None
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no WAV"):
        recorded_speaker("ada", tmp_path / "empty", 5.0, "en")
    assert demo_speaker().words is not None


def test_beside_the_clones_stand_recordings_their_copies_and_the_source(monkeypatch, tmp_path):
    whisper, played = install(monkeypatch, tmp_path / "weights"), install_ears(monkeypatch)
    heard, answers = [], []
    played.embedding, played.before = lambda clip: heard.append(clip) or np.array([1.0, 0.0]), lambda: answers.append(0)
    ada = speaker("ada")
    ada = replace(ada, other=Clip(np.tile(ada.clip.samples, 2), RATE, (len(ada.clip.samples),)))
    rows = measure_quality({}, [ada], TEXTS, Judging(whisper.checkpoint, beside=BESIDE, keep=tmp_path / "kept"))
    assert [(row.engine, row.text) for row in rows] == [("recording", "others"), ("copy", "others"), ("source", "en 1"), ("source", "en 2")]
    assert rows[0].likeness == 1 and rows[0].word_error_rate is None and rows[3].word_error_rate == 0.5 and rows[2].likeness is None
    assert len(answers) == 2 * (2 + 2 + 2), "each of the two recordings, copies and texts by itself, by two measures"
    recording, copy = heard[1:4], heard[4:]
    assert [clip.digest for clip in recording] == [ada.clip.digest] * 3, "what is learned from, and each of the others"
    assert len(copy) == 3 and {clip.digest for clip in copy} == {copied(ada.clip).digest} and abs(copy[0].seconds - 2) < 0.1
    assert (tmp_path / "kept" / "source-en-2.wav").exists()


def test_who_is_the_same_person_is_no_impostor_and_who_is_nobodys_clone_may_be_one(monkeypatch):
    played = install_ears(monkeypatch)
    speakers = [speaker("ada", 2.0, "Ada"), speaker("ada in French", 3.0, "Ada"), speaker("bob", 4.0)]
    known = {len(one.clip.samples): np.eye(3)[number] for number, one in enumerate(speakers)}
    played.embedding = lambda clip: known.get(len(clip.samples), np.array([0.9, 0.5, 0.1]))
    judging = Judging(measures=("likeness",), others=(speakers[2],))
    row = measure_quality({"fake": FakeEngine()}, speakers[:2], TEXTS[:1], judging)[0]
    assert (row.likeness, row.impostor, row.impostor_name) == (pytest.approx(0.9), pytest.approx(0.1), "bob")
    assert (row.distillmos, row.dnsmos, row.lufs, row.word_error_rate) == (None, None, None, None)


def test_means_are_by_language_and_tell_how_long_voices_were_learned(monkeypatch):
    install_ears(monkeypatch)
    texts = [*TEXTS, ("fr 1", "fr", "un deux")]
    rows = measure_quality(
        {"fake": FakeEngine()}, [speaker("ada"), speaker("bob"), speaker("eve", 0.1)], texts, Judging(measures=("distillmos",))
    )
    lines = quality_summary(rows).splitlines()[2:]
    assert [line.split("|")[1:5] for line in lines] == [
        [" fake ", " 2 voices ", " en x 4 ", " 3.50 "],
        [" fake ", " 2 voices ", " fr x 2 ", " 3.50 "],
    ]
    assert not any(line.endswith("| - |") for line in lines)


def test_clips_without_words_are_written_down_only_where_that_is_asked_for(monkeypatch, tmp_path):
    whisper = install(monkeypatch, tmp_path / "weights")
    whisper.sentences = (" Six words that are said there.",)
    learned = []
    engine = FakeEngine()
    extract = engine.extract
    monkeypatch.setattr(engine, "extract", lambda clip, words=None: learned.append(words and words.text) or extract(clip, words))
    nobodys = replace(speaker("ada", 3.0), words=None)
    for words in (False, True):
        measure_quality({"fake": engine}, [nobodys], TEXTS[:1], Judging(whisper.checkpoint, measures=(), words=words))
    assert learned == [None, "Six words that are said there."]


def test_ten_speeches_of_a_voice_are_kept_of_all_languages_alike(monkeypatch, tmp_path):
    texts = [(f"{language} {n}", language, "one") for language in ("en", "fr", "de") for n in range(1, 7)]
    measure_quality({"fake": FakeEngine()}, [speaker("ada")], texts, Judging(measures=(), keep=tmp_path))
    assert sorted(path.name[9:11] for path in tmp_path.iterdir()) == ["de"] * 3 + ["en"] * 3 + ["fr"] * 3


def test_processes_share_the_voices_and_every_voice_meets_every_other():
    speakers = tuple(speaker(name) for name in ("ada", "bob", "eve"))
    run = QualityRun((("espeak", None),), speakers, TEXTS, Judging(beside=BESIDE, others=(speaker("kal16"),)))
    one, two = run.parts(2)
    assert [[each.name for each in part.speakers] for part in (one, two)] == [["ada", "eve"], ["bob"]]
    assert [[each.name for each in part.judging.others] for part in (one, two)] == [["kal16", "bob"], ["kal16", "ada", "eve"]]
    assert (one.judging.beside, two.judging.beside) == (BESIDE[:2], BESIDE)
    assert len(run.parts(8)) == 3 and run.parts(1)[0].judging.beside == BESIDE


def test_of_prompts_sentences_alone_are_taken_and_a_third_is_kept_for_comparison(tmp_path):
    folder = tmp_path / "it_IT_m_Carlo"
    (folder / "digits").mkdir(parents=True)
    for number in range(6):
        write_g722(folder / f"prompt-{number}.g722", 300 + 100 * number, 3.5)
    for name, seconds in (("beep", 0.4), ("menu", 9.0), ("spy-zap", 4.0), ("digits/7", 4.0)):
        write_g722(folder / f"{name}.g722", 2000, seconds)
    found = prompt_speaker(folder.name, 7.0, tmp_path)
    assert (found.name, found.person, found.words) == ("it_IT_m_Carlo", "Carlo Flora", None)
    assert found.clip.seconds == pytest.approx(7.5, abs=0.05) and found.other.n_recordings == 2
    tones = [_tone(part) for part in (*Clip(found.clip.samples, 16_000, (60_000,)).recordings(), *found.other.recordings())]
    assert len(set(tones)) == 4 and set(tones) <= {300, 400, 500, 600, 700, 800}
    with pytest.raises(FileNotFoundError, match="asterisk-core-sounds-fr-g722"):
        prompt_speaker("fr_CA_f_June", 7.0, tmp_path)


def _tone(clip: Clip) -> int:
    spectrum = np.abs(np.fft.rfft(clip.samples[:48_000]))
    return round(int(spectrum.argmax()) * clip.sample_rate / 48_000, -2)


def test_texts_are_told_apart_by_language_and_no_prior_was_trained_on_one():
    assert {"de", "en", "es", "fr", "it", "ru"} <= set(languages_with_texts())
    trained = {sentence.casefold() for sentence in (*SENTENCES, *POOL_SENTENCES, *CLIP_TEXT, *OTHER_TEXT)}
    for language in languages_with_texts():
        lines = (quality.TEXTS / f"{language}.txt").read_text(encoding="utf-8").splitlines()
        assert guess_language(" ".join(lines)) == language and len(set(lines)) == len(lines)
        assert len(lines) >= (4 if language == "zh" else 10)
        assert not trained & {line.casefold() for line in lines}
