"""Claims about the queue of a script: what it says and when, what stops it, and what becomes of a line that cannot be said."""

import threading
from dataclasses import replace

import pytest

from studio.errors import EngineBusy, EngineFull, LineUnknown, ScriptUnknown
from studio.running.zero_gpu.zero_gpu_errors import GpuWithoutVisitor
from studio.scripts.keep.limits import ScriptLimits, WorkspaceLimits
from studio.scripts.saying.progress import ProgressMeter
from studio.scripts.saying.saying import Saying
from studio.scripts.script.cast import CastMember
from studio.scripts.script.edits import DeleteLines, SetCast
from studio.scripts.script.line import LineText
from studio.settings import OWN_DIALECT
from studio.speech.body import read_body
from studio.timeline import Timeline
from tests.api.door import eventually
from tests.spoken_scripts.saying.said_scripts import made, put, recorded_deliveries, said, say_all, states, store_voice, wait_for
from tests.stand_ins.fake_engine import INFO, FakeEngine


class HeldLines:
    """An engine whose chunks wait: at `reached` it is within a line, `go` lets it on."""

    def __init__(self, info=INFO, width: int = 1):
        self.reached, self.go = threading.Semaphore(0), threading.Semaphore(0)
        self.engine = FakeEngine(info, before_chunk=self._wait, seconds_per_character=0.02)
        self.engine.width = width

    def _wait(self, index: int) -> None:
        if index == 0:
            self.reached.release()
            assert self.go.acquire(timeout=60)

    def arrives(self) -> None:
        assert self.reached.acquire(timeout=60)

    def free(self) -> None:
        self.go.release(1_000)


def test_lines_are_said_in_the_order_of_the_script(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    script = made(studio, "One.", LineText(text="(Thunder.)", is_silent=True), "Two.", "Three.")
    lines = studio.scripts.lines(script)
    say_all(studio, script, lines=(lines[3].id, lines[0].id))
    assert engine.texts == ["One.", "Three."]
    assert states(studio, script) == ["said", "new", "new", "said"]
    say_all(studio, script, from_line=lines[1].id)
    assert engine.texts == ["One.", "Three.", "Two."], "what is said and has not changed is not said again"
    say_all(studio, script, only="all")
    assert engine.texts[3:] == ["One.", "Two.", "Three."]
    assert [len(line.takes) for line in studio.scripts.lines(script)] == [2, 0, 2, 2]
    assert all(line.chosen == line.takes[-1].id for line in studio.scripts.lines(script) if line.takes)
    progress = studio.scripts.progress(script)
    assert (progress.is_running, progress.n_done, progress.n_total, progress.line_id) == (False, 3, 3, None)


def test_only_what_is_new_or_stale_is_said(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    script = made(studio, "One.", "Two.", "Three.")
    say_all(studio, script)
    put(studio, script, 1, text="Second.")
    say_all(studio, script)
    assert engine.texts == ["One.", "Two.", "Three.", "Second."]
    assert say_all(studio, script)[1].takes[0].key != studio.scripts.lines(script)[1].chosen_take.key


def test_a_take_says_how_it_was_made(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    store_voice(studio, "Anna")
    script = made(studio, "ANNA: Good evening.", cast=[CastMember(name="ANNA", voice="Anna")])
    take = say_all(studio, script)[0].chosen_take
    assert (take.engine, take.voice, take.generation_id) == ("fake", "Anna", studio.speaker("Anna").generation_id)
    assert take.seed == engine.options[0]["seed"] and take.pace == 1.0 and take.ttfp_seconds > 0
    assert take.seconds == pytest.approx(len("Good evening.") * 0.05) and take.sample_rate == 24_000
    assert len(take.peaks) == 48 and set(take.peaks) == {50}
    studio.scripts.say_again(script, studio.scripts.line_ids(script)[0], seed=take.seed)
    again = said(studio, script)[0].takes[-1]
    assert again.seed == take.seed and again.sha256 == take.sha256, "by its seed a take is said again alike"


def test_a_line_that_cannot_be_said_says_why_and_the_others_go_on(open_studio):
    studio = open_studio()
    members = (
        CastMember(name="GONE", voice="Nobody"),
        CastMember(name="ODD", options={"warmth": 3}),
        CastMember(name="NOT", model="unheard-of"),
    )
    script = made(studio, "GONE: One.", "ODD: Two.", "NOT: Three.", "Four.", "ODD: Five.", cast=members)
    lines = say_all(studio, script)
    assert states(studio, script) == ["failed", "failed", "failed", "said", "failed"]
    codes = [line.failure and line.failure["reason_code"] for line in lines]
    assert codes == ["speaker_unknown", "option_invalid", "engine_unknown", None, "option_invalid"]
    assert not any(line.takes for line in lines if line.failure), "nobody else speaks instead"
    progress = studio.scripts.progress(script)
    assert (progress.n_done, progress.n_total, progress.failure) == (5, 5, None)
    studio.scripts.edit(script, [SetCast(cast=(CastMember(name="ODD"),))])
    say_all(studio, script)
    assert states(studio, script) == ["said"] * 5


def test_stop_drops_the_line_under_way_and_what_was_said_stays(open_studio):
    held = HeldLines()
    studio = open_studio(held.engine)
    script = made(studio, "One.", "Two.", "Three.")
    studio.scripts.say(script, Saying())
    held.arrives()
    held.go.release()
    held.arrives()
    assert states(studio, script) == ["said", "saying", "waiting"]
    progress = studio.scripts.stop(script)
    held.free()
    wait_for(studio, script)
    assert states(studio, script) == ["said", "new", "new"] and progress.n_done == 1
    assert studio.scripts.progress(script).failure is None
    say_all(studio, script)
    assert states(studio, script) == ["said"] * 3
    assert [len(line.takes) for line in studio.scripts.lines(script)] == [1, 1, 1]


def test_what_waits_goes_on_in_the_next_studio(open_studio, tmp_path):
    held = HeldLines()
    studio = open_studio(held.engine, "shared")
    script = made(studio, "One.", "Two.", "Three.")
    studio.scripts.say(script, Saying(n_takes=2))
    held.arrives()
    held.go.release()
    held.arrives()
    held.free()
    closing = threading.Thread(target=studio.close)
    closing.start()
    closing.join()
    n_before = sum(len(line.takes) for line in open_studio(FakeEngine(), "shared").scripts.lines(script))
    engine = FakeEngine()
    later = open_studio(engine, "shared")
    assert not engine.texts, "opening a studio says nothing"
    later.scripts.resume()
    lines = said(later, script)
    assert [len(line.takes) for line in lines] == [2, 2, 2] and n_before + len(engine.texts) == 6


def test_a_line_that_is_edited_while_it_is_said_is_said_once_more(open_studio):
    held = HeldLines()
    studio = open_studio(held.engine)
    script = made(studio, "One.", "Two.")
    studio.scripts.say(script, Saying())
    held.arrives()
    put(studio, script, 0, text="First.")
    held.free()
    lines = said(studio, script)
    assert held.engine.texts == ["One.", "First.", "Two."]
    assert states(studio, script) == ["said", "said"] and len(lines[0].takes) == 2


def test_a_line_or_script_that_is_deleted_meanwhile_is_no_matter(open_studio):
    held = HeldLines()
    studio = open_studio(held.engine)
    script = made(studio, "One.", "Two.")
    studio.scripts.say(script, Saying())
    held.arrives()
    studio.scripts.edit(script, [DeleteLines(lines=studio.scripts.line_ids(script)[:1])])
    held.free()
    assert [line.written.text for line in said(studio, script) if line.takes] == ["Two."]
    other = HeldLines()
    studio = open_studio(other.engine, "other")
    script = made(studio, "One.", "Two.")
    studio.scripts.say(script, Saying())
    other.arrives()
    studio.scripts.delete(script)
    other.free()
    wait_for(studio, script)
    with pytest.raises(ScriptUnknown):
        studio.scripts.lines(script)


def test_lines_that_are_added_while_it_runs_are_said_as_well_and_one_again_comes_first(open_studio):
    held = HeldLines()
    studio = open_studio(held.engine)
    script = made(studio, "One.", "Two.", "Three.")
    ids = studio.scripts.line_ids(script)
    studio.scripts.say(script, Saying(lines=ids[:1]))
    held.arrives()
    studio.scripts.say(script, Saying(lines=ids[1:2]))
    studio.scripts.say_again(script, ids[2])
    held.free()
    said(studio, script)
    assert held.engine.texts == ["One.", "Three.", "Two."]


def test_several_scripts_take_turns(open_studio):
    held = HeldLines()
    studio = open_studio(held.engine)
    scripts = [made(studio, *(f"{name} {n}." for n in ("one", "two", "three"))) for name in ("Her", "His")]
    studio.scripts.say(scripts[0], Saying())
    held.arrives()
    studio.scripts.say(scripts[1], Saying())
    turns = studio.scripts._folder.saying.parts.turns._turns["fake"]
    for _ in range(4):
        assert eventually(lambda: len(turns._waiting) == 2)  # the other script waits for its turn
        held.go.release()
        held.arrives()
    held.free()
    for script in scripts:
        wait_for(studio, script)
    assert held.engine.texts == ["Her one.", "His one.", "Her two.", "His two.", "Her three.", "His three."]


def test_a_listener_comes_before_all_lines(open_studio, monkeypatch):
    held = HeldLines()
    studio = open_studio(held.engine)
    script = made(studio, "One.", "Two.")
    deliveries = recorded_deliveries(studio, monkeypatch)
    studio.scripts.say(script, Saying())
    held.arrives()
    body = read_body({"input": "I am listening.", "response_format": "wav"}, OWN_DIALECT)
    with studio.say(body, Timeline()) as speech:
        held.free()
        assert len(speech.read_all())
    said(studio, script)
    assert held.engine.texts[:2] == ["One.", "I am listening."]
    assert [delivery.whole for delivery in deliveries] == [True, False, True], "what nobody hears yet yields to what somebody hears"


def test_an_engine_that_serves_several_by_one_step_says_so_many_lines_at_once(open_studio):
    held = HeldLines(width=3)
    studio = open_studio(held.engine)
    script = made(studio, *(f"{n}." for n in "abcdefg"))
    studio.scripts.say(script, Saying())
    held.arrives()
    held.go.release()
    held.arrives()
    assert eventually(lambda: studio.engines()[0].streaming + studio.engines()[0].waiting == 3), "three at once, in the engine"
    assert len(studio.scripts._folder.saying.being_said(script)) == 3
    held.free()
    assert all(len(line.takes) == 1 for line in said(studio, script))
    assert sorted(held.engine.texts) == [f"{n}." for n in "abcdefg"]


def test_a_full_disk_allowance_ends_the_run_and_says_so(open_studio):
    studio = open_studio()
    script = made(studio, "One.", "Two.")
    folder = studio.scripts._folder
    folder.store._limits = WorkspaceLimits(own=ScriptLimits(n_bytes=1))
    lines = say_all(studio, script)
    assert not any(line.takes or line.failure for line in lines)
    assert studio.scripts.progress(script).failure.code == "script_sounds_full"
    assert states(studio, script) == ["waiting", "waiting"], "they wait for room"


def test_without_a_visitor_a_lent_gpu_says_nothing_and_the_queue_waits(open_studio):
    lent = [False]

    def ask(index: int) -> None:
        if not lent[0]:
            raise GpuWithoutVisitor("Fake")

    studio = open_studio(FakeEngine(before_chunk=ask))
    script = made(studio, "One.", "Two.")
    say_all(studio, script)
    assert studio.scripts.progress(script).failure.code == "gpu_without_visitor"
    assert states(studio, script) == ["waiting", "waiting"]
    lent[0] = True
    assert [len(line.takes) for line in say_all(studio, script)] == [1, 1], "whoever asks on the page has it go on"


def test_an_engine_that_is_full_is_waited_for(open_studio, monkeypatch):
    studio = open_studio()
    script, say, refused = made(studio, "One."), type(studio).say, [EngineBusy("Fake", 64, 0), EngineFull("Fake", 3, 0)]

    def say_later(self, *args, **how):
        if refused:
            raise refused.pop()
        return say(self, *args, **how)

    monkeypatch.setattr(type(studio), "say", say_later)
    assert [len(line.takes) for line in say_all(studio, script)] == [1] and not refused


def test_what_is_unknown_is_refused(open_studio):
    studio = open_studio()
    script = made(studio, "One.")
    for saying in (Saying(lines=("nobody",)), Saying(from_line="nobody")):
        with pytest.raises(LineUnknown):
            studio.scripts.say(script, saying)
    with pytest.raises(ScriptUnknown):
        studio.scripts.say("nobody", Saying())
    with pytest.raises(ScriptUnknown):
        studio.within("somebody-else").scripts.say(script, Saying())
    assert not studio.scripts.progress(script).is_running


def test_one_line_is_said_on_the_callers_thread(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    script = made(studio, "One.", "Two.", cast=[CastMember(name="GONE", voice="Nobody")])
    first, second = studio.scripts.line_ids(script)
    assert len(studio.scripts.say_line(script, second, 2).takes) == 2
    assert engine.texts == ["Two.", "Two."]
    put(studio, script, 0, who="GONE")
    assert studio.scripts.say_line(script, first).failure["reason_code"] == "speaker_unknown"


def test_a_slot_that_is_too_short_has_the_line_said_faster(open_studio):
    engine = FakeEngine(replace(INFO, options=tuple(option for option in INFO.options if option.name != "duration")))
    studio = open_studio(engine)
    slots = [{"start": 0, "end": 0.5}, {"start": 0.6, "end": 3}]
    script = made(studio, *(LineText(text=11 * "a" + ".", slot=slot) for slot in slots))
    lines = say_all(studio, script)
    assert [round(take.seconds, 2) for line in lines for take in line.takes] == [0.52, 0.6]
    assert [take.pace for line in lines for take in line.takes] == [pytest.approx(0.6 / 0.52, abs=1e-4), 1.0]


def test_time_left_is_guessed_by_characters():
    now = [0.0]
    meter = ProgressMeter(lambda: now[0])
    meter.told({"a": 100, "b": 300})
    meter.begin("a")
    assert meter.progress().seconds_left is None and meter.progress().line_id == "a"
    now[0] = 2.0
    meter.said(100), meter.done("a"), meter.leave("a")
    progress = meter.progress()
    assert (progress.n_done, progress.n_total, progress.seconds_left) == (1, 2, 6.0)
