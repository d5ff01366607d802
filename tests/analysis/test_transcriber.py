"""Claims about the transcriber, over a stand-in for the package that hears: what it is asked, what it gives, and whom it keeps waiting."""

import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.errors import LanguageUnsupported
from studio.analysis import packaged_whisper
from studio.analysis.packaged_whisper import OTHERS, PARTS
from studio.analysis.quiet_worker import MOST_WAITING
from studio.analysis.transcriber import Transcriber
from studio.errors import SpeechCancelled, TranscriberBusy, TranscriberFailed, TranscriberMissing
from studio.speech.request import SpeechRequest
from tests.api.door import Gate, eventually
from tests.stand_ins.whisper_stand_in import install
from tests.ui.clips.clips import speech_like

CLIP = Clip(2 * speech_like(2.0, 48_000), 48_000)


@pytest.fixture
def whisper(monkeypatch, tmp_path):
    return install(monkeypatch, tmp_path / "weights")


@pytest.fixture
def transcriber(whisper):
    transcriber = Transcriber(whisper.checkpoint)
    yield transcriber
    transcriber.close()


def test_words_and_language_come_from_weights_that_are_loaded_once_when_they_are_wanted(transcriber, whisper):
    assert transcriber.is_here and not whisper.loaded
    whisper.sentences = (" Good  morning.", " How are\nyou?")
    for _ in range(2):
        written = transcriber.write(CLIP)
        assert (written.text, written.language) == ("Good morning. How are you?", "en")
    (loaded,) = whisper.loaded
    assert (loaded["folder"], loaded["device"], loaded["compute_type"], loaded["local_files_only"]) == (
        whisper.checkpoint, "cpu", "int8", True,
    )  # fmt: skip
    assert loaded["cpu_threads"] >= 1 and whisper.asked[0]["language"] is None
    heard = whisper.heard[0]
    assert (heard.dtype, len(heard)) == (np.float32, 32_000) and 0.9 < np.abs(heard).max() <= 1.0


def test_a_language_may_be_told_by_code_accent_or_name_and_is_told_by_its_usual_code(transcriber, whisper):
    for language in ("de", "de-AT", "German"):
        assert transcriber.write(CLIP, language).language == "de"
    whisper.language = "jw"
    assert transcriber.write(CLIP).language == "jv"
    with pytest.raises(LanguageUnsupported):
        transcriber.write(CLIP, "Klingon")


def test_chinese_is_written_in_the_characters_that_are_asked_for(transcriber, whisper):
    for language in ("zh", "Chinese", "zh-TW", "zh_Hant"):
        assert transcriber.write(CLIP, language).language == "zh"
    assert [asked["initial_prompt"][5] for asked in whisper.asked] == ["话", "话", "話", "話"]
    whisper.language = "zh"
    transcriber.write(CLIP)
    assert [(asked["language"], bool(asked["initial_prompt"])) for asked in whisper.asked[4:]] == [(None, False), ("zh", True)]
    transcriber.write(CLIP, "de")
    assert whisper.asked[-1]["initial_prompt"] is None and all(asked["vad_filter"] for asked in whisper.asked)


def test_where_nothing_is_said_there_are_no_words(transcriber, whisper):
    whisper.sentences = ()
    assert transcriber.write(CLIP) is None


def test_what_is_missing_is_told_with_what_gets_it(whisper, monkeypatch, tmp_path):
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "model.bin").touch()
    assert "STUDIO_TRANSCRIBER" in Transcriber(None).lacking().hint
    for checkpoint in (str(tmp_path / "half"), str(tmp_path / "nowhere"), "somebody/never-fetched"):
        lacking = Transcriber(checkpoint).lacking()
        assert "The transcriber's weights are not on this machine" in lacking.fact
        assert ("hf download somebody/never-fetched" if checkpoint.startswith("somebody") else "STUDIO_TRANSCRIBER") in lacking.hint
        assert str(tmp_path) not in lacking.fact + lacking.hint, "whoever asks the API reads it"
    monkeypatch.delitem(sys.modules, "faster_whisper")
    absent = Transcriber(whisper.checkpoint)
    assert "make ears" in absent.lacking().hint and not absent.is_here
    with pytest.raises(TranscriberMissing):
        absent.write(CLIP)
    assert absent.words_of(CLIP) is None


def test_weights_of_the_hub_are_found_where_it_keeps_them(whisper, monkeypatch, tmp_path):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    repository = tmp_path / "models--Systran--faster-whisper-tiny"
    snapshot = repository / "snapshots" / ("0" * 40)
    for folder in (snapshot, repository / "refs"):
        folder.mkdir(parents=True)
    (repository / "refs" / "main").write_text("0" * 40)
    for name in ("model.bin", "tokenizer.json"):
        (snapshot / name).touch()
    transcriber = Transcriber("Systran/faster-whisper-tiny")
    assert transcriber.write(CLIP).text
    assert whisper.loaded[0]["folder"] == str(snapshot)
    transcriber.close()


def test_a_failure_is_told_in_words_and_the_next_clip_is_written_all_the_same(transcriber, whisper):
    def fail() -> None:
        raise RuntimeError("out of memory at 0x7f")

    whisper.before_segment = fail
    with pytest.raises(TranscriberFailed) as caught:
        transcriber.write(CLIP)
    assert "0x7f" not in caught.value.fact + caught.value.hint
    assert transcriber.words_of(CLIP) is None
    whisper.before_segment = lambda: None
    assert transcriber.write(CLIP).text


def test_of_a_new_voice_words_are_kept_that_can_be_what_is_heard(transcriber, whisper):
    whisper.sentences = (" the words of two seconds of speech",)
    assert transcriber.words_of(CLIP).text == "the words of two seconds of speech"
    whisper.sentences = (" thank you for watching" * 40,)
    assert transcriber.words_of(CLIP) is None
    whisper.sentences = (" the words of two seconds of speech",)
    silence = Clip(np.zeros(48_000, np.float32), 24_000)
    assert transcriber.words_of(silence) is None


def test_speech_does_not_wait_for_it_others_do_and_closing_ends_both(open_studio, whisper):
    gate = Gate()
    whisper.before_segment = gate
    studio = open_studio(transcriber=whisper.checkpoint)
    with ThreadPoolExecutor(MOST_WAITING + 1) as pool:
        first = pool.submit(studio.transcriber.write, CLIP)
        gate.wait_for_arrival()
        waiting = [pool.submit(studio.transcriber.write, CLIP) for _ in range(MOST_WAITING)]
        assert eventually(lambda: studio.transcriber._worker.n_waiting == MOST_WAITING)
        with pytest.raises(TranscriberBusy) as busy:
            studio.transcriber.write(CLIP)
        assert busy.value.retry_after_seconds > 0
        with studio.speak(SpeechRequest("hello", speaker="tone")) as speech:
            assert len(speech.read_all())
        closing = threading.Thread(target=studio.transcriber.close)
        closing.start()
        assert eventually(lambda: studio.transcriber._worker._is_closing)
        gate.open()
        closing.join(60)
        for one in (first, *waiting):
            with pytest.raises(SpeechCancelled):
                one.result(20)
    with pytest.raises(SpeechCancelled):
        studio.transcriber.write(CLIP)


def test_weights_are_let_go_of_once_nobody_has_asked_for_a_while(whisper):
    transcriber = Transcriber(whisper.checkpoint, idle_seconds=0.01)
    transcriber.write(CLIP)
    model = weakref.ref(whisper.models.pop())
    assert eventually(lambda: model() is None)
    assert transcriber.write(CLIP).text and len(whisper.loaded) == 2
    transcriber.close()


def test_weights_in_packages_are_used_where_none_are_set(whisper, monkeypatch, tmp_path):
    folders = {}
    for package, files in zip(packaged_whisper.PACKAGES, (PARTS[:1], (PARTS[1], *OTHERS)), strict=True):
        folders[package] = tmp_path / package
        (tmp_path / package / "data").mkdir(parents=True)
        for name in files:
            (tmp_path / package / "data" / name).write_bytes(name.encode())
    monkeypatch.setattr(packaged_whisper, "folder_of", folders.get)
    transcriber = Transcriber(None)
    assert transcriber.name == "whisper-base" and transcriber.write(CLIP).text
    transcriber.close()
    (loaded,) = whisper.loaded
    assert loaded["files"] == {"model.bin": b"model.bin.part1model.bin.part2"} | {name: name.encode() for name in OTHERS}
    set_one = Transcriber(whisper.checkpoint)
    assert set_one.name == "weights" and set_one.write(CLIP) and whisper.loaded[1]["folder"] == whisper.checkpoint
    set_one.close()
    (folders[packaged_whisper.PACKAGES[1]] / "data" / "tokenizer.json").unlink()
    assert not Transcriber(None).is_here and Transcriber(None).name == ""
    with pytest.raises(FileNotFoundError):
        packaged_whisper.files()
