"""Why a speech ended is a fact of it: through the queue, at another pace, in the history, and whoever ended it."""

import json

import pytest

from engines.contract.speech_end import ENDED, SpeechEnd
from studio.errors import SpeechCancelled
from studio.running.stream import EngineStream
from studio.speech.request import SpeechRequest
from studio.timeline import Timeline
from tests.stand_ins.fake_engine import SAMPLE_RATE, FakeEngine

TEXT = "A text of a few chunks."
LOOPED = SpeechEnd.silent(2.0)


class Runaway(FakeEngine):
    """Says that it ended as it was told."""

    def stream(self, text, prompt, options):
        yield from super().stream(text, prompt, options)
        return LOOPED


@pytest.mark.parametrize("speed", [1.0, 1.25])
def test_what_the_engine_says_of_its_end_reaches_the_speech_at_any_pace(open_studio, speed):
    engine = Runaway()
    engine.info = type(engine.info)(**vars(engine.info) | {"options": tuple(o for o in engine.info.options if o.name != "speed")})
    studio = open_studio(engine)
    with studio.speak(SpeechRequest(TEXT, options={"speed": speed})) as speech:
        next(speech)
        assert speech.end is None
        list(speech)
        assert speech.end == LOOPED
    assert speech.end == LOOPED  # closing what was heard to its end cancels nothing


def test_an_engine_that_says_nothing_of_it_has_ended(open_studio):
    with open_studio().speak(SpeechRequest(TEXT)) as speech:
        list(speech)
    assert speech.end == ENDED


def test_who_hangs_up_has_cancelled_and_what_broke_has_failed(open_studio):
    with open_studio().speak(SpeechRequest(TEXT)) as speech:
        next(speech)
    assert speech.end.reason == "cancelled"
    with open_studio(FakeEngine(fail_at_chunk=2), "other").speak(SpeechRequest(TEXT)) as speech, pytest.raises(Exception, match="told to"):
        list(speech)
    assert speech.end.reason == "failed"


def test_the_first_end_of_a_stream_counts():
    def stream() -> EngineStream:
        return EngineStream(SAMPLE_RATE, Timeline(), most_ahead_seconds=1.0, on_wanted=lambda: None)

    hung_up, finished, failed, closing = (stream() for _ in range(4))
    assert hung_up.end is None
    hung_up.close()
    hung_up.finish()
    finished.finish(LOOPED)
    finished.close()
    failed.fail(ValueError())
    closing.fail(SpeechCancelled())
    assert [one.end.reason for one in (hung_up, finished, failed, closing)] == ["cancelled", "looped", "failed", "cancelled"]


def test_the_history_keeps_the_end_with_its_warning_also_over_a_restart(open_studio):
    studio = open_studio(Runaway())
    with studio.speak(SpeechRequest(TEXT, keep=True)) as speech:
        list(speech)
    studio.history.settle()
    for history in (studio.history, open_studio(Runaway()).history):
        [entry] = history.entries()
        assert (entry.ended, entry.warning) == ("looped", LOOPED.warning)


def test_entries_of_version_0_3_are_read_in_the_words_of_today(open_studio, tmp_path):
    studio = open_studio()
    for text in ("First.", "Second."):
        with studio.speak(SpeechRequest(text, keep=True)) as speech:
            list(speech)
    studio.history.settle()
    for entry, said_then in zip(studio.history.entries(), ("stopped", "whole"), strict=True):
        path = tmp_path / "history" / f"{entry.id}.json"
        facts = json.loads(path.read_text()) | {"ended": said_then}
        del facts["warning"]
        path.write_text(json.dumps(facts))
    assert [entry.ended for entry in open_studio().history.entries()] == ["cancelled", "ended"]
