"""A take in parts: each is heard at its place, said again in its own voice or not at all, and chosen; the whole is what is heard."""

import io
from dataclasses import replace

import numpy as np
import pytest
import soundfile

from engines.clips.clip import Clip
from engines.errors import EngineFailed
from studio.speakers.edit import SpeakerEdit
from studio.speakers.speaker import Enrollment
from studio.takes.kept_parts import MOST_RENDITIONS
from tests.api.door import Door, error_of, samples_of, wav
from tests.stand_ins.fake_engine import INFO, FakeEngine, heard_pitch

SHORT = replace(INFO, most_text_characters=20)  # each sentence a text of its own
SENTENCES = [f"This is part {n}." for n in ("one", "two", "three", "four", "five", "six", "seven")]
TEXT = " ".join(SENTENCES)
KEEP = {"X-Studio-Keep": "1"}


def keep(door: Door, **fields) -> str:
    """The path of a take."""
    answer = door.post("/v1/audio/speech", json={"input": TEXT, "seed": 7} | fields, headers=KEEP)
    door.studio.history.settle()
    return (
        f"/v1/studio/takes/{answer.headers['x-studio-kept'] if 'x-studio-kept' in answer.headers else door.studio.history.entries()[0].id}"
    )


def sound(door: Door, path: str) -> np.ndarray:
    answer = door.get(f"{path}/audio")
    assert answer.status_code == 200, answer.text
    return soundfile.read(io.BytesIO(answer.content), dtype="int16")[0]


def say(door: Door, take: str, part: int, **body) -> dict:
    answer = door.post(f"{take}/parts/{part}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
def door(open_door) -> Door:
    return open_door(FakeEngine(SHORT))


@pytest.mark.slow
def test_the_parts_of_a_take_are_its_sentences_at_their_places(door):
    take = keep(door)
    whole, told = sound(door, take), door.get(f"{take}/parts").json()
    assert [part["text"] for part in told["parts"]] == SENTENCES and told["has_seed"]
    heard = [sound(door, f"{take}/parts/{n}/renditions/1") for n in range(1, 8)]
    assert np.array_equal(np.concatenate(heard), whole)
    assert [part["start"] for part in told["parts"]] == pytest.approx(np.cumsum([0, *map(len, heard[:-1])]) / 24_000, abs=1e-3)


def test_it_is_told_where_another_seed_changes_nothing(open_door):
    door = open_door(FakeEngine(replace(SHORT, draws=False)))
    assert door.get(f"{keep(door)}/parts").json()["has_seed"] is False


def test_a_part_is_said_again_with_the_options_of_the_take_and_another_seed_and_heard_once_it_is_chosen(door):
    take = keep(door, speed=2.0)
    first = sound(door, take)
    told = say(door, take, 3, seed=99)
    assert (door.engine.texts[-1], door.engine.options[-1]["seed"], door.engine.options[-1]["speed"]) == (SENTENCES[2], 99, 2.0)
    assert (told["parts"][2]["chosen"], [one["seed"] for one in told["parts"][2]["renditions"]]) == (1, [7, 99])
    assert np.array_equal(sound(door, take), first)
    chosen = door.request("PUT", f"{take}/parts/3", json={"rendition": 2}).json()
    whole, said = sound(door, take), sound(door, f"{take}/parts/3/renditions/2")
    at = round(chosen["parts"][2]["start"] * 24_000)
    assert chosen["parts"][2]["chosen"] == 2 and np.array_equal(whole[at : at + len(said)], said)
    assert not np.array_equal(whole, first) and chosen["seconds"] == pytest.approx(len(whole) / 24_000)
    door.request("PUT", f"{take}/parts/3", json={"rendition": 1})
    assert np.array_equal(sound(door, take), first)


def test_other_words_become_those_of_the_take_and_all_of_it_survives_a_restart(door, open_door):
    take = keep(door)
    say(door, take, 2, input="Two, in other words.")
    door.request("PUT", f"{take}/parts/2", json={"rendition": 2})
    whole, told = sound(door, take), door.get(f"{take}/parts").json()
    assert told["text"] == TEXT.replace(SENTENCES[1], "Two, in other words.")
    door.close()
    again = open_door(FakeEngine(SHORT))
    assert np.array_equal(sound(again, take), whole) and again.get(f"{take}/parts").json() == told


def test_what_arrived_of_a_speech_that_failed_is_kept_and_the_rest_can_be_said(door):
    whole = sound(door, keep(door))
    broken = FakeEngine(SHORT, before_chunk=lambda index: broken_at_the_fifth())

    def broken_at_the_fifth() -> None:
        if door.engines["fake"].texts[-1] == SENTENCES[4]:
            raise EngineFailed("It was told to fail.")

    door.studio.unload("fake")
    door.engines["fake"] = broken
    take = keep(door)
    told = door.get(f"{take}/parts").json()
    assert (told["ended"], [part["chosen"] for part in told["parts"]]) == ("failed", [1, 1, 1, 1, 0, 0, 0])
    door.studio.unload("fake")
    door.engines["fake"] = FakeEngine(SHORT)
    for part in (6, 5, 7):
        told = say(door, take, part)
    assert (told["ended"], [part["chosen"] for part in told["parts"]]) == ("ended", [1] * 7)
    assert [part["start"] for part in told["parts"]] == sorted(part["start"] for part in told["parts"])
    made, n_arrived = sound(door, take), round(told["parts"][4]["start"] * 24_000)
    assert np.array_equal(made[:n_arrived], whole[:n_arrived])
    assert len(made) - len(whole) == 2 * 0.25 * 24_000  # the silence between sentences that are spoken alone


def test_no_other_voice_speaks_where_that_of_the_take_was_replaced_or_deleted(door):
    door.upload("alice")
    take, voice = keep(door, voice="alice"), door.studio.speaker("alice")
    door.studio._parts.speakers.history._is_live = lambda generation: True  # as while its deletion can be undone
    door.upload("alice", wav(2.0, hz=330.0))
    assert door.studio.speaker("alice").generation_id != voice.generation_id
    answer = door.post(f"{take}/parts/1", json={})
    assert (answer.status_code, error_of(answer)["reason_code"]) == (409, "take_speaker_gone")
    assert len(sound(door, f"{take}/parts/1/renditions/1")) and len(door.get(f"{take}/parts").json()["parts"][0]["renditions"]) == 1


@pytest.mark.slow
def test_a_voice_that_is_replaced_while_it_speaks_is_not_kept(open_door):
    def replaced(index: int) -> None:
        if len(engine.texts) == 8 and index == 0:
            door.studio._parts.speakers.history._is_live = lambda generation: True
            door.studio.enroll(Enrollment("alice", "mine", clip=Clip(*samples_of(wav(2.0, hz=330.0)))))

    engine = FakeEngine(SHORT, before_chunk=replaced)
    door = open_door(engine)
    door.upload("alice")
    take = keep(door, voice="alice")
    answer = door.post(f"{take}/parts/1", json={})
    assert (answer.status_code, error_of(answer)["reason_code"]) == (409, "take_speaker_gone")


def test_a_renamed_voice_says_its_part_again_under_its_new_name(door):
    door.upload("alice")
    take = keep(door, voice="alice")
    pitch = heard_pitch(sound(door, take)[:24_000])
    door.studio.library.edit("alice", SpeakerEdit(name="Bea"))
    door.upload("alice", wav(2.0, hz=330.0))
    say(door, take, 1)
    assert heard_pitch(sound(door, f"{take}/parts/1/renditions/2")) == pytest.approx(pitch, abs=1.0)


def test_what_is_kept_of_parts_is_bounded_counted_and_goes_with_the_take(door):
    take = keep(door)
    before = door.studio.history.entries()[0].n_bytes
    for _ in range(MOST_RENDITIONS - 1):
        say(door, take, 1)
    refused = door.post(f"{take}/parts/1", json={})
    assert (refused.status_code, error_of(refused)["values"]["most"]) == (409, MOST_RENDITIONS)
    [entry] = door.studio.history.entries()
    files = list((door.folder / "history").rglob("*.flac"))
    assert entry.n_bytes == sum(file.stat().st_size for file in files) > before
    door.studio.history.delete([entry.id])
    door.studio._parts.speakers.history._undo.close()  # as after half a minute
    assert not [file for file in (door.folder / "history").rglob("*") if file.is_file()]
    assert door.get(f"{take}/parts").status_code == 404


def test_parts_that_are_none_and_takes_without_parts_are_refused_in_words(door):
    take = keep(door)
    for path in ("parts/8", "parts/0"):
        assert error_of(door.post(f"{take}/{path}", json={}))["reason_code"] == "part_unknown"
    assert door.request("PUT", f"{take}/parts/1", json={"rendition": 2}).status_code == 404
    assert door.get(f"{take}/parts/1/renditions/2/audio").status_code == 404
