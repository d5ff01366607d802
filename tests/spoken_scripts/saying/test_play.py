"""Claims about playing a script: at once, without a gap, and what was made is kept wherever the listener stops."""

import threading

import numpy as np
import pytest

from studio.errors import LineUnknown, RequestInvalid
from studio.scripts.saying.play import PLAY_HZ, ScriptPlay
from studio.scripts.saying.played_sounds import PlayedSound, PlayedSounds
from studio.scripts.saying.saying import Saying
from studio.scripts.script.cast import CastMember
from studio.scripts.script.line import LineText
from tests.spoken_scripts.saying.said_scripts import made, put, recorded_deliveries, said, say_all, sound_of
from tests.stand_ins.fake_engine import INFO, FakeEngine


def played(studio, script_id: str, from_line: str | None = None) -> list[PlayedSound]:
    with studio.scripts.play(script_id, from_line) as play:
        return list(play)


def heard(sounds: list[PlayedSound]) -> np.ndarray:
    return np.concatenate([sound.samples for sound in sounds])


def test_kept_takes_play_and_lines_that_were_never_said_are_spoken_and_kept(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    script = made(studio, "One.", "Two.", "Three.")
    ids = studio.scripts.line_ids(script)
    say_all(studio, script, lines=ids[1:2])
    sounds = played(studio, script)
    assert engine.texts == ["Two.", "One.", "Three."]
    assert [sound.line_id for sound in sounds if sound.take_id and not len(sound.samples)] == [ids[0], ids[2]]
    lines = studio.scripts.lines(script)
    told = {sound.line_id: (sound.take_id, sound.seconds) for sound in sounds if sound.take_id}
    assert told == {line.id: (line.chosen, line.chosen_take.seconds) for line in lines}
    assert {sound.line_id: sound.ttfp_seconds is None for sound in sounds} == {ids[0]: False, ids[1]: True, ids[2]: False}
    again = played(studio, script)
    assert len(engine.texts) == 3 and np.array_equal(heard(again), heard(sounds)), "as it was heard first, sample by sample"


def test_lines_follow_each_other_with_their_pauses_and_nothing_between(open_studio):
    studio = open_studio()
    written = (
        LineText(text="One.", pause_seconds=0.25),
        LineText(text="(A door.)", is_silent=True),
        LineText(text="Chapter.", kind="heading"),
        LineText(text="Three."),
        LineText(text="Four."),
    )
    script = made(studio, *written, pause_seconds=0.5, heading_pause_seconds=1.0)
    sounds = played(studio, script)
    takes = {line.id: line.chosen_take for line in studio.scripts.lines(script) if line.takes}
    begins = {sound.line_id: sound.start_seconds for sound in sounds}
    ends = {line: begins[line] + take.seconds for line, take in takes.items()}
    first, heading, third, fourth = takes
    gaps = [begins[after] - ends[before] for before, after in ((first, heading), (heading, third), (third, fourth))]
    assert gaps == pytest.approx([0.25, 1.0, 0.5], abs=1 / PLAY_HZ), "no more silence than is written, to a sample"
    sound = heard(sounds)
    assert len(sound) == round(ends[fourth] * PLAY_HZ)
    for line, take in takes.items():
        at = round(begins[line] * PLAY_HZ)
        kept = sound_of(studio, script, studio.scripts.line(script, line))
        assert np.array_equal(sound[at : at + len(kept)], kept) and take.seconds == len(kept) / PLAY_HZ


def test_the_first_line_comes_as_any_speech_does_and_those_behind_are_due_when_it_ends(open_studio, monkeypatch):
    studio = open_studio()
    deliveries = recorded_deliveries(studio, monkeypatch)
    sounds = played(studio, made(studio, "One.", "Two.", "Three."))
    assert [delivery.whole for delivery in deliveries] == 3 * [False] and deliveries[0].until is None
    first = sum(len(sound.samples) for sound in sounds if sound.line_id == sounds[0].line_id) / PLAY_HZ
    assert deliveries[2].until - deliveries[1].until > first, "when the listener has heard what was made before"


def test_it_begins_with_any_line_and_goes_to_the_end(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    script = made(studio, "One.", "Two.", "Three.")
    ids = studio.scripts.line_ids(script)
    sounds = played(studio, script, ids[1])
    assert engine.texts == ["Two.", "Three."] and sounds[0].line_id == ids[1] and sounds[0].start_seconds == 0.0
    with pytest.raises(LineUnknown):
        played(studio, script, "nobody")


def test_each_name_is_as_loud_as_its_cast_says_at_one_rate(open_studio):
    slow = FakeEngine()
    studio = open_studio(slow)
    cast = (CastMember(name="LOUD", gain_db=3.0), CastMember(name="SOFT", gain_db=-6.0))
    script = made(studio, "LOUD: One.", "SOFT: Two.", "Three.", cast=cast)
    peaks: dict[str, int] = {}
    for sound in played(studio, script):
        peaks[sound.line_id] = max(peaks.get(sound.line_id, 0), int(np.abs(sound.samples).max(initial=0)))
    assert [round(20 * np.log10(peak / 16_384)) for peak in peaks.values()] == [3, -6, 0]
    assert {int(np.abs(sound_of(studio, script, line)).max()) for line in studio.scripts.lines(script)} == {16_384}, (
        "takes stay as they are"
    )


def test_who_hangs_up_stops_the_engine_and_what_was_whole_is_kept(open_studio):
    reached, go = threading.Event(), threading.Event()

    def wait(index: int) -> None:
        if index == 2 and len(engine.texts) == 2:
            reached.set()
            go.wait(60)

    engine = FakeEngine(before_chunk=wait, seconds_per_character=0.2)
    studio = open_studio(engine)
    script = made(studio, "One.", "Two and more.", "Three.")
    play = studio.scripts.play(script)
    assert reached.wait(60)
    closing = threading.Thread(target=play.close)
    closing.start()
    go.set()
    closing.join(60)
    made_chunks = engine.chunks_made
    assert [len(line.takes) for line in studio.scripts.lines(script)] == [1, 0, 0]
    assert list(play) == [] and engine.chunks_made == made_chunks and engine.texts == ["One.", "Two and more."]


def test_what_was_played_waits_no_more(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    script = made(studio, "One.", "Two.")
    turns = studio.scripts._folder.saying.parts.turns
    with turns.turn("fake", 1, lambda: False):
        studio.scripts.say(script, Saying())
        played(studio, script)
        assert studio.scripts._folder.store.queued(script) == ()
    assert [len(line.takes) for line in said(studio, script)] == [1, 1]


def test_a_first_line_that_cannot_be_said_is_refused_and_a_later_one_is_told(open_studio):
    studio = open_studio()
    script = made(studio, "GONE: One.", "Two.", "GONE: Three.", "Four.", cast=[CastMember(name="GONE", voice="Nobody")])
    with pytest.raises(RequestInvalid):
        studio.scripts.play(script)
    ids = studio.scripts.line_ids(script)
    sounds = played(studio, script, ids[1])
    failed = [sound for sound in sounds if sound.failure]
    assert [(sound.line_id, sound.failure["reason_code"]) for sound in failed] == [(ids[2], "speaker_unknown")]
    assert sounds[-1].line_id == ids[3] and studio.scripts.line(script, ids[2]).failure


def test_a_stale_take_plays(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    script = made(studio, "One.")
    say_all(studio, script)
    put(studio, script, 0, text="First.")
    played(studio, script)
    assert engine.texts == ["One."]


def test_lines_with_slots_are_heard_where_they_stand_in_the_video(open_studio):
    studio = open_studio(FakeEngine(INFO, seconds_per_character=0.05))
    slots = ((10.0, 11.0), (12.0, 13.0), (13.0, 13.1))
    script = made(studio, *(LineText(text=10 * "a" + ".", slot={"start": start, "end": end}) for start, end in slots))
    begins = list(dict.fromkeys(sound.start_seconds for sound in played(studio, script)))
    assert begins == pytest.approx([0.0, 2.0, 3.0])
    second = studio.scripts.line_ids(script)[1]
    assert list(dict.fromkeys(sound.start_seconds for sound in played(studio, script, second))) == pytest.approx([0.0, 1.0])


def test_no_more_is_made_ahead_than_may_be(open_studio):
    engine = FakeEngine(seconds_per_character=0.5)
    studio = open_studio(engine)
    script = made(studio, *(10 * [9 * "a" + "."]))
    parts = studio.scripts._folder.saying.parts
    with ScriptPlay(parts, studio, script, most_ahead_seconds=4.0) as play:
        first = next(play)
        assert len(engine.texts) <= 2 and len(first.samples)
    now = [0.0]
    sounds = PlayedSounds(10, 4.0, lambda: now[0])
    for _ in range(5):
        assert not sounds.is_far_ahead()
        sounds.put(PlayedSound("a", np.zeros(10, np.int16), 0.0))
    assert sounds.is_far_ahead() and sounds.dry_at == 5.0
    now[0] = 2.0
    assert sounds.is_far_ahead(), "nobody has taken it"
    assert sounds.take() and not sounds.is_far_ahead()
