"""Claims about speech through Gradio's queue, without a browser, over the fake engine."""

import base64
import threading
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families

from engines.clips.clip import Clip
from studio.audio.formats import to_pcm16
from studio.errors import EngineInUse
from studio.scripts.script.cast import CastMember
from studio.scripts.script.edits import SetCast
from studio.service import Studio
from studio.settings import Settings
from studio.speech.request import SpeechRequest
from studio.takes.said_again import take_of
from studio.ui.speak.history import history_value
from studio.ui.speak.relay import Relays, relayed, say_part, say_script
from tests.api.door import eventually
from tests.stand_ins.fake_engine import INFO, SAMPLE_RATE, FakeEngine

REQUEST = {"input": "Some words to say.", "voice": "tone", "model": "fake", "seed": 90}


class Stand:
    """A studio over one fake engine, and a page's way to it."""

    def __init__(self, folder, converts: bool = False, **engine):
        self.engine = FakeEngine(replace(INFO, converts=converts), **engine)
        settings = Settings(speakers_dir=folder, default_engine="fake")
        self.studio = Studio(settings, infos={"fake": replace(INFO, converts=converts)}, open_engine=lambda name: self.engine)
        self.relays = Relays()

    def ask(self, run: str = "1", **changes):
        return relayed(self.studio, self.relays, "page", {"run": run, "request": REQUEST | changes})

    def convert(self, seconds: float = 1.0, **changes):
        source = Clip(np.sin(np.arange(int(seconds * SAMPLE_RATE), dtype=np.float32)), SAMPLE_RATE)
        run = {"run": "1", "request": {"voice": "tone", "model": "fake"} | changes}
        return relayed(self.studio, self.relays, "page", run, read_source=lambda info: source)

    def samples(self, messages) -> np.ndarray:
        blocks = [message for message in messages if "samples" in message]
        assert [block["number"] for block in blocks] == list(range(len(blocks)))
        return np.frombuffer(b"".join(base64.b64decode(block["samples"]) for block in blocks), "<i2")


@pytest.fixture
def open_stand(tmp_path):
    stands = []

    def make(**engine) -> Stand:
        stands.append(Stand(tmp_path, **engine))
        return stands[-1]

    yield make
    for stand in stands:
        stand.studio.close()


def test_the_end_tells_what_of_the_text_was_left_out(open_stand):
    assert list(open_stand().ask(input="Hello [laugh] there."))[-1]["end"]["left_out"] == ["[laugh]"]


def test_the_blocks_together_are_the_samples_of_the_speech(open_stand):
    stand = open_stand()
    messages = list(stand.ask())
    with stand.studio.speak(SpeechRequest(REQUEST["input"], engine="fake", speaker="tone", options={"seed": 90})) as speech:
        spoken = np.frombuffer(to_pcm16(speech.read_all()), "<i2")
    assert np.array_equal(stand.samples(messages), spoken)
    assert messages[-1] == {
        "over": True,
        "end": {"reason": "ended", "warning": "", "values": {}},
    } and not any("over" in message for message in messages[:-1])


def test_a_recording_is_said_again_and_kept_as_such(open_stand):
    stand = open_stand(converts=True)
    messages = list(stand.convert(1.5))
    assert len(stand.samples(messages)) == 1.5 * SAMPLE_RATE and messages[-1]["end"]["reason"] == "ended"
    assert messages[0]["facts"]["cache"] and messages[0]["facts"]["stages"]["first_audio"]["milliseconds"] > 0
    stand.studio.history.settle()
    (row,) = history_value(stand.studio)["entries"]
    assert (row["id"], row["text"], row["source_seconds"]) == (messages[0]["facts"]["kept"], "", 1.5)


def test_what_cannot_be_said_again_is_refused_in_words(open_stand):
    (refused,) = open_stand().convert()
    assert refused["refusal"]["code"] == "conversion_unsupported"
    stand = open_stand(converts=True)
    assert [message["refusal"]["code"] for message in stand.convert(31.0)] == ["clip_too_long"]
    assert stand.studio.history.entries() == ()


def test_rate_and_facts_come_with_the_first_message_and_once(open_stand):
    turn = threading.Semaphore(0)
    asked = open_stand(before_chunk=lambda index: turn.acquire(timeout=60)).ask()
    turn.release()
    first = next(asked)
    assert (first["number"], first["sampleRate"]) == (0, 24_000)
    for _ in range(100):
        turn.release()
    assert not [message for message in asked if "facts" in message or "sampleRate" in message]


def test_the_facts_name_the_stages_and_the_cache(open_stand):
    facts = next(iter(open_stand().ask()))["facts"]
    assert facts["cache"] in ("hit", "miss", "bypass")
    assert facts["stages"]["first_audio"]["milliseconds"] > 0
    assert facts["stages"]["prompt"]["description"] == facts["cache"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"voice": "Nobody"}, "Nobody"),
        ({"input": " "}, "cannot be empty"),
        ({"seed": "x"}, "seed"),
        ({"extra_params": {"pace": 2}}, "pace"),
    ],
)
def test_a_refusal_is_told_as_fact_and_hint(open_stand, changes, said):
    (message,) = open_stand().ask(**changes)
    assert said in message["refusal"]["fact"] + message["refusal"]["hint"]


def test_a_failure_in_the_middle_comes_after_the_sound_before_it(open_stand):
    *messages, last = open_stand(fail_at_chunk=3).ask()
    assert len(Stand.samples(None, messages)) == 3 * 1920
    assert "told to fail" in last["refusal"]["fact"]


def line_of(caplog) -> dict[str, str]:
    """The one line of the request log."""
    [record] = [record for record in caplog.records if record.name == "studio.request"]
    return dict(part.split("=", 1) for part in record.getMessage().split(" "))


def counted(stand: Stand, sample: str) -> float:
    """Of the metrics, the one sample of that name."""
    families = text_string_to_metric_families(stand.studio.request_log.metrics.exposition().decode())
    [value] = [found.value for family in families for found in family.samples if found.name == sample]
    return value


@pytest.mark.parametrize(
    ("voice", "fail_at_chunk", "line", "count"),
    [
        ("tone", None, {"status": "200", "engine": "fake", "cache": "miss"}, "vllm_omni:audio_ttfp_s_count"),
        ("Nobody", None, {"status": "400", "failure": "speaker_unknown"}, "studio_requests_failed_total"),
        ("tone", 3, {"status": "500", "failure": "engine_failed"}, "vllm_omni:speech_stream_aborted_total"),
    ],
)
def test_each_run_has_a_line_in_the_request_log_and_a_share_of_the_metrics(*, open_stand, caplog, voice, fail_at_chunk, line, count):
    stand = open_stand(fail_at_chunk=fail_at_chunk)
    with caplog.at_level("INFO", "studio.request"):
        list(stand.ask(voice=voice))
    written = line_of(caplog)
    assert written["delivery"] == "gradio" and line.items() <= written.items()
    assert counted(stand, count) == 1


def test_a_run_that_is_stopped_is_logged_as_hung_up(open_stand, caplog):
    turn = threading.Semaphore(1)
    stand = open_stand(before_chunk=lambda index: turn.acquire(timeout=60))
    with caplog.at_level("INFO", "studio.request"):
        asked = stand.ask()
        next(asked)
        stand.relays.hang_up("page", "1")
        assert list(asked) == [{"over": True}]
    turn.release()
    assert line_of(caplog)["status"] == "499"
    assert counted(stand, "vllm_omni:speech_stream_aborted_total") == 1


def test_stop_reaches_an_engine_that_is_silent(open_stand):
    entered, leave = threading.Event(), threading.Event()
    stand = open_stand(before_chunk=lambda index: (entered.set(), leave.wait(60)))
    asked = stand.ask()
    messages = []
    listener = threading.Thread(target=lambda: messages.extend(asked))
    listener.start()
    assert entered.wait(60)
    stand.relays.hang_up("page", "1")
    listener.join(60)  # while the engine still is in its first chunk
    assert not listener.is_alive()
    leave.set()
    assert messages == [{"over": True}]


def test_a_page_that_is_closed_takes_its_runs_with_it_and_no_others(open_stand):
    turn = threading.Semaphore(2)  # chunks that the engine may make; the rest waits until the page is gone
    stand = open_stand(before_chunk=lambda index: turn.acquire(timeout=60))
    asked = stand.ask()
    next(asked)
    stand.relays.leave("another page")
    turn.release()
    next(asked)
    stand.relays.leave("page")
    assert list(asked)[-1] == {"over": True}  # at most with what was on its way before it
    assert stand.engine.chunks_made <= 3
    turn.release()


def test_a_run_that_is_stopped_while_it_is_opened_does_not_speak(open_stand):
    stand = open_stand(before_extract=lambda: None)
    with stand.relays.under_way("page", "1"):
        stand.relays.hang_up("page", "1")
        speech = stand.studio.speak(SpeechRequest("Some words.", engine="fake", speaker="tone"))
        stand.relays.opened("page", "1", speech)
        with pytest.raises(Exception, match="was stopped"):
            list(speech)


def test_a_generator_that_gradio_closes_closes_the_speech(open_stand):
    stand = open_stand()
    asked = stand.ask(input="A long text. " * 200)
    next(asked)
    asked.close()

    def is_unloaded() -> bool:  # refused while anything speaks, so until the engine's thread has noticed
        with suppress(EngineInUse):
            stand.studio.unload("fake")
        return stand.engine.closed

    assert eventually(is_unloaded)
    assert stand.engine.chunks_made < 1000  # of 1625; it rests with 30 s ahead


def test_a_part_of_a_take_is_said_again_by_an_event_of_the_queue(open_stand):
    studio = open_stand().studio
    [*_] = relayed(studio, Relays(), "page", {"run": "1", "request": REQUEST | {"input": "This is one. This is two."}}, keep=True)
    studio.history.settle()
    entry = studio.history.entries()[0].id
    n_parts = len(take_of(studio, entry).parts)
    assert say_part(studio, {"take": entry, "part": n_parts, "input": " Other words. "}) == {}
    said = take_of(studio, entry).part(n_parts).renditions
    assert [one.text for one in said[1:]] == ["Other words."]
    assert say_part(studio, {"take": entry, "part": n_parts}) == {}
    assert take_of(studio, entry).part(n_parts).renditions[-1].text == said[0].text
    assert say_part(studio, {"take": entry, "part": n_parts + 1})["problem"]["code"] == "part_unknown"


def test_lines_of_a_script_are_said_by_an_event_of_the_queue(open_stand):
    studio = open_stand().studio
    scripts = studio.scripts
    script = scripts.create(scripts.read_in("This is one.\n\nThis is two.\n", "two.txt")).id
    lines = scripts.line_ids(script)
    scripts.edit(script, [SetCast(cast=(CastMember(voice=REQUEST["voice"], model="fake"),))])
    assert say_script(studio, {"script": script, "lines": [lines[1]]}) == {}
    assert eventually(lambda: not scripts.progress(script).is_running)
    assert [len(line.takes) for line in scripts.lines(script)] == [0, 1]
    assert say_script(studio, {"script": script, "line": lines[1], "takes": 2}) == {}
    assert say_script(studio, {"script": script}) == {}
    assert eventually(lambda: not scripts.progress(script).is_running)
    assert [len(line.takes) for line in scripts.lines(script)] == [1, 3]
    mend = {"script": script, "line": lines[1], "mend": {"text": "Nobody", "take": "nobody"}}
    assert say_script(studio, mend)["problem"]["code"] == "script_take_unknown"
    assert say_script(studio, {"script": script, "lines": ["nobody"]})["problem"]["code"] == "script_line_unknown"
