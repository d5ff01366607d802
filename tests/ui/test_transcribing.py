"""Claims about the words that the studio writes in Create voice, without a browser."""

import pytest

from studio.speakers.clip_draft import ClipDrafts
from studio.ui.clip_intake import take_clip
from studio.ui.transcribing import write_words
from studio.ui.words import problem_words
from tests.ui.clips import wav_bytes
from tests.ui.test_creating import sent
from tests.whisper_stand_in import WORDS, install


@pytest.fixture
def drafts():
    return ClipDrafts()


def region_in(drafts: ClipDrafts, seconds: float = 40.0, end: int = 4_000) -> dict[str, object]:
    taken = take_clip(drafts, sent(wav_bytes(seconds, 16_000)))
    return {"draft": taken["draft"], "start": 1_000, "end": end, "language": ""}


def test_the_words_of_the_region_are_written_with_the_language_that_was_heard(open_studio, drafts, monkeypatch, tmp_path):
    whisper = install(monkeypatch, tmp_path / "weights")
    studio, region = open_studio(transcriber=whisper.checkpoint), region_in(drafts)
    assert write_words(studio, drafts, region) == {"text": WORDS, "language": "en"}
    assert len(whisper.heard[0]) == 3 * 16_000
    assert write_words(studio, drafts, region | {"language": "de"})["language"] == "de"
    whisper.sentences = ()
    assert write_words(studio, drafts, region)["text"] == ""
    assert write_words(studio, drafts, region | {"end": 40_000})["problem"]["code"] == "clip_too_long"
    assert write_words(studio, drafts, {"draft": None})["problem"]["code"] == "clip_absent"


def test_without_a_transcriber_one_is_asked_to_type(open_studio, drafts):
    problem = write_words(open_studio(), drafts, region_in(drafts))["problem"]
    assert problem["code"] == "transcriber_missing"
    assert problem_words(problem["code"], problem["values"])[1] == "Type the words yourself."
