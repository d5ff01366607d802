"""Claims about the words that the studio writes in Create voice, without a browser."""

import pytest

from studio.speakers.clip_draft import ClipDrafts
from studio.ui.clips.clip_estimates import can_estimate, estimate_region
from studio.ui.clips.clip_intake import take_clip
from studio.ui.clips.transcribing import transcript_warning, write_words
from studio.ui.gradio.words import problem_words
from tests.stand_ins.estimators_stand_in import install_ears
from tests.stand_ins.whisper_stand_in import WORDS, install
from tests.ui.clips.clips import wav_bytes
from tests.ui.create.test_creating import sent


@pytest.fixture
def drafts():
    return ClipDrafts()


def region_in(drafts: ClipDrafts, seconds: float = 40.0, end: int = 4_000) -> dict[str, object]:
    taken = take_clip(drafts, sent(wav_bytes(seconds, 16_000)))
    return {"draft": taken["draft"], "start": 1_000, "end": end, "language": ""}


@pytest.mark.slow
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


@pytest.mark.slow
def test_without_a_transcriber_one_is_asked_to_type(open_studio, drafts):
    problem = write_words(open_studio(), drafts, region_in(drafts))["problem"]
    assert problem["code"] == "transcriber_missing"
    assert problem_words(problem["code"], problem["values"])[1] == "Type the words yourself."


@pytest.mark.slow
def test_words_that_are_hardly_those_heard_are_doubted_with_both(open_studio, drafts, monkeypatch, tmp_path):
    whisper = install(monkeypatch, tmp_path / "weights")
    studio, region = open_studio(transcriber=whisper.checkpoint), region_in(drafts)

    def doubt(text: str, heard: str = "we met by the old bridge", **more) -> dict[str, object]:
        whisper.sentences = (heard,) if heard else ()
        return transcript_warning(studio, drafts, region | {"text": text} | more)

    assert doubt("We met by the old bridge!") == {"heard": "we met by the old bridge", "is_doubtful": False}
    assert not doubt("We met near that old bridge")["is_doubtful"]
    assert doubt("Nobody had seen the keys")["is_doubtful"]
    assert doubt("Nobody had seen the keys", heard="") == {"heard": "", "is_doubtful": True}
    long = "we met by the old bridge and then we went on " * 3
    assert doubt(long, heard=long)["is_doubtful"], "three seconds cannot hold it"
    assert not doubt("今天有二十一个人", heard="今天有21个人", language="zh")["is_doubtful"]
    n_asked = len(whisper.asked)
    assert not doubt("  ")["is_doubtful"] and not doubt("anything", end=40_000)["is_doubtful"] and len(whisper.asked) == n_asked
    assert transcript_warning(studio, drafts, {"text": "anything"})["problem"]["code"] == "clip_absent"

    def fail() -> None:
        raise RuntimeError

    whisper.before_segment = fail
    assert doubt("Nobody had seen the keys") == {"heard": "", "is_doubtful": False}, "a failure keeps nobody from a voice"


@pytest.mark.slow
def test_without_ears_nothing_is_doubted_and_nothing_estimated(open_studio, drafts):
    studio, region = open_studio(), region_in(drafts)
    assert not transcript_warning(studio, drafts, region | {"text": "anything"})["is_doubtful"]
    assert not can_estimate(studio) and estimate_region(studio, drafts, region) == {"estimates": []}


@pytest.mark.slow
def test_estimates_of_a_region_are_those_that_there_are(open_studio, drafts, monkeypatch):
    played, studio, region = install_ears(monkeypatch), open_studio(), region_in(drafts)
    assert can_estimate(studio)
    found = estimate_region(studio, drafts, region)["estimates"]
    assert found == [
        {"measure": measure, "n": n} for measure, n in (("distillmos", 3.5), ("overall", 3.1), ("signal", 3.2), ("background", 4.3))
    ]
    assert len(played.heard["dnsmos"][0]) == 3 * 16_000
    played.answers["dnsmos"] = RuntimeError()
    assert [one["measure"] for one in estimate_region(studio, drafts, region)["estimates"]] == ["distillmos"]
    assert estimate_region(studio, drafts, {"draft": "gone"})["problem"]["code"] == "draft_gone"
