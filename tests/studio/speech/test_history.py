"""The history: what was spoken can be heard again, within a bound, and no longer than the speaker's recording is there."""

import io
import json
from collections.abc import Callable

import numpy as np
import pytest
import soundfile

from engines import durable
from engines.clips.clip import Clip
from engines.contract.speech_end import SpeechEnd
from studio.audio.file_encoder import FileEncoder
from studio.errors import DiskFull, EntryUnknown, FileInUse, UndoTooLate, disk_error
from studio.service import Studio
from studio.speakers.speaker import Enrollment
from studio.speech.history import History
from studio.speech.kept import entry_record
from studio.speech.kept.history_folder import HistoryFolder
from studio.speech.request import SpeechRequest
from tests.stand_ins.fake_engine import SAMPLE_RATE, FakeEngine


def clip_of(seed: int) -> Clip:
    return Clip(np.random.default_rng(seed).standard_normal(48_000).astype(np.float32) * 0.1, 24_000)


def speak(studio: Studio, text: str = "Say this.", *, keep: bool = True, **request) -> np.ndarray:
    with studio.speak(SpeechRequest(text, keep=keep, **request)) as speech:
        samples = speech.read_all()
    studio.history.settle()
    return samples


def texts(studio: Studio) -> list[str]:
    return [entry.text for entry in studio.history.entries()]


def test_a_kept_speech_is_an_entry_with_the_sound_that_was_heard(open_studio):
    studio = open_studio()
    studio.enroll(Enrollment("Ana", "own", clip=clip_of(1)))
    heard = speak(studio, "Say this.", speaker="ana", options={"seed": 7})
    [entry] = studio.history.entries()
    assert (entry.text, entry.speaker, entry.engine, entry.ended) == ("Say this.", "Ana", "fake", "ended")
    assert entry.options["seed"] == 7 and entry.options["speed"] == 1.0
    assert entry.cache == "miss" and entry.ttfp_seconds > 0 and entry.seconds == pytest.approx(len(heard) / SAMPLE_RATE)
    samples, rate = soundfile.read(io.BytesIO(studio.history.audio(entry.id)), dtype="int16")
    assert rate == SAMPLE_RATE
    assert np.array_equal(samples, np.rint(heard * 32768).astype(np.int16))


def test_speech_that_nobody_asked_to_keep_and_speech_of_inline_recordings_leave_nothing(open_studio, tmp_path):
    studio = open_studio()
    speak(studio, keep=False)
    speak(studio, clip=clip_of(1))
    assert studio.history.entries() == ()
    assert not (tmp_path / "history").exists()


def test_a_stopped_and_a_failed_speech_keep_what_was_heard_of_them(open_studio):
    studio = open_studio()
    with studio.speak(SpeechRequest("A text that is long enough.", keep=True)) as speech:
        chunk = next(iter(speech))
    failing = open_studio(FakeEngine(fail_at_chunk=2), "another")  # a studio that opens takes sounds without facts for left behind
    with failing.speak(SpeechRequest("Another text, as long.", keep=True)) as speech, pytest.raises(Exception, match="told to fail"):
        list(speech)
    for kept, how, n_chunks in ((studio, "cancelled", 1), (failing, "failed", 2)):
        kept.history.settle()
        [entry] = [entry for entry in kept.history.entries() if entry.ended == how]
        assert entry.seconds == pytest.approx(n_chunks * len(chunk) / SAMPLE_RATE)


def test_a_disk_that_fills_while_a_speech_is_spoken_is_told_as_any_other(open_studio, monkeypatch, caplog):
    studio = open_studio()

    def full(*_arguments) -> None:
        raise DiskFull("TMPDIR")

    with monkeypatch.context() as patch:
        patch.setattr(FileEncoder, "push", full)
        speak(studio)
    assert studio.history.refusal.values["setting"] == "TMPDIR" and studio.history.entries() == ()
    assert [record.exc_info for record in caplog.records if record.name == "studio.history"] == [None], "one line, no stack trace"
    speak(studio)
    assert studio.history.refusal is None


def test_entries_survive_a_restart_and_halves_of_entries_do_not(open_studio, tmp_path):
    studio = open_studio()
    speak(studio, "First.")
    speak(studio, "Second.")
    entry = studio.history.entries()[0]
    studio.history.star(entry.id, True)
    folder = tmp_path / "history"
    (folder / f"{'0' * 32}.flac").write_bytes(b"sound without facts")
    (folder / f"{'1' * 32}.json").write_text(json.dumps({"id": "1" * 32}))
    again = open_studio()
    assert [(kept.text, kept.starred) for kept in again.history.entries()] == [("Second.", True), ("First.", False)]
    assert again.history.audio(entry.id) == studio.history.audio(entry.id)
    assert len(list(folder.iterdir())) == 4


def test_the_oldest_without_a_star_makes_room(open_studio):
    studio = open_studio(most_history_entries=2)
    speak(studio, "First.")
    studio.history.star(studio.history.entries()[0].id, True)
    for text in ("Second.", "Third."):
        speak(studio, text)
    assert texts(studio) == ["Third.", "First."]


def test_a_star_holds_under_a_bound_that_was_lowered(open_studio):
    studio = open_studio()
    for text in ("First.", "Second."):
        speak(studio, text)
    for entry in studio.history.entries():
        studio.history.star(entry.id, True)
    again = open_studio(most_history_entries=1)
    speak(again, "Third.")
    assert texts(again) == ["Second.", "First."]


def test_bytes_are_bounded_too(tmp_path, open_studio):
    studio = open_studio()
    studio._parts.speakers.history.most_bytes = 1
    speak(studio, "First.")
    assert texts(studio) == [] and not list((tmp_path / "history").iterdir())


def test_a_history_of_no_entries_writes_nothing(open_studio, tmp_path):
    studio = open_studio(most_history_entries=0)
    speak(studio)
    assert not (tmp_path / "history").exists()


def test_an_entry_is_deleted_with_its_files(open_studio, tmp_path):
    studio = open_studio()
    speak(studio, "First.")
    speak(studio, "Second.")
    first = studio.history.entries()[-1]
    studio.history.delete([first.id])
    assert texts(studio) == ["Second."]
    assert [path.suffix for path in (tmp_path / "history").glob(f"{first.id}*")] == [".flac"], "its facts are gone at once"
    with pytest.raises(EntryUnknown):
        studio.history.audio(first.id)
    with pytest.raises(EntryUnknown):
        studio.history.star(first.id, True)
    with pytest.raises(EntryUnknown):
        studio.history.delete([first.id])
    studio.history.delete([entry.id for entry in studio.history.entries()])
    studio._parts.speakers.history.close()
    assert not list((tmp_path / "history").iterdir())


Waiting = list[tuple[float, Callable[[], None]]]


def spoken_twice(open_studio) -> tuple[Studio, list[str], Waiting]:
    """Ids, the newest first; and what waits for the end of a deletion."""
    studio, waiting = open_studio(), []

    def later(seconds: float, call: Callable[[], None]) -> Callable[[], None]:
        waiting.append((seconds, call))
        return waiting.clear

    studio._parts.speakers.history._undo._later = later
    speak(studio, "First.")
    speak(studio, "Second.")
    return studio, [entry.id for entry in studio.history.entries()], waiting


def test_what_was_deleted_comes_back_within_half_a_minute_as_it_was(open_studio):
    studio, ids, clock = spoken_twice(open_studio)
    studio.history.star(ids[0], True)
    before, sound = studio.history.entries(), studio.history.audio(ids[0])
    deletion = studio.history.delete(ids)
    assert studio.history.entries() == () and [seconds for seconds, _ in clock] == [30]
    assert studio.history.restore(deletion) == 2 and clock == []
    assert studio.history.entries() == before == open_studio().history.entries() and studio.history.audio(ids[0]) == sound


def test_what_nobody_brings_back_in_time_leaves_nothing(open_studio, tmp_path):
    studio, ids, clock = spoken_twice(open_studio)
    deletion = studio.history.delete(ids[:1])
    [(_, over)] = clock
    over()
    with pytest.raises(UndoTooLate):
        studio.history.restore(deletion)
    assert {path.stem for path in (tmp_path / "history").iterdir()} == set(ids[1:])


def test_a_start_ends_all_deletions(open_studio, tmp_path):
    studio, ids, _ = spoken_twice(open_studio)
    deletion = studio.history.delete(ids[:1])
    assert texts(open_studio()) == ["First."]
    assert {path.stem for path in (tmp_path / "history").iterdir()} == set(ids[1:])
    with pytest.raises(UndoTooLate):
        studio.history.restore(deletion)
    assert texts(studio) == ["First."]


def test_a_voice_that_is_forgotten_takes_along_what_was_deleted_of_it(open_studio, tmp_path):
    studio = open_studio()
    studio.enroll(Enrollment("Ana", "own", clip=clip_of(1)))
    for speaker in ("Ana", "tone"):
        speak(studio, speaker=speaker)
    deletion = studio.history.delete([entry.id for entry in studio.history.entries()])
    studio.forget("Ana")
    assert len(list((tmp_path / "history").iterdir())) == 1
    assert studio.history.restore(deletion) == 1
    assert [entry.speaker for entry in studio.history.entries()] == ["tone"]


def test_deleting_or_replacing_a_speaker_deletes_its_recorded_speech_and_nobody_elses(open_studio):
    studio = open_studio()
    for seed, name in enumerate(("Ana", "Ben", "Cleo")):
        studio.enroll(Enrollment(name, "own", clip=clip_of(seed)))
        speak(studio, f"I am {name}.", speaker=name)
    speak(studio, "I am built in.", speaker="tone")
    studio.forget("Ana")
    studio.enroll(Enrollment("ben", "own", clip=clip_of(9)))
    assert texts(studio) == ["I am built in.", "I am Cleo."]


def test_speech_under_way_of_a_deleted_speaker_is_not_kept(open_studio, tmp_path):
    studio = open_studio()
    studio.enroll(Enrollment("Ana", "own", clip=clip_of(1)))
    with studio.speak(SpeechRequest("A text that is long enough.", speaker="Ana", keep=True)) as speech:
        next(iter(speech))
        studio.forget("Ana")
        list(speech)
    studio.history.settle()
    assert studio.history.entries() == () and not list((tmp_path / "history").iterdir())


def test_a_start_deletes_the_speech_of_speakers_that_went_meanwhile(open_studio, tmp_path):
    studio = open_studio()
    studio.enroll(Enrollment("Ana", "own", clip=clip_of(1)))
    speak(studio, speaker="Ana")
    studio.close()
    for file in tmp_path.glob("*.safetensors"):
        file.unlink()
    assert open_studio().history.entries() == ()
    assert not list((tmp_path / "history").iterdir())


def test_a_damaged_facts_file_of_another_shape_is_no_entry(tmp_path):
    for name, facts in (("a" * 32, "[]"), ("b" * 32, "{}"), ("c" * 32, '{"id": "../x"}'), ("d" * 32, "nonsense")):
        (tmp_path / f"{name}.json").write_text(facts)
    history = HistoryFolder(tmp_path, most_entries=5)
    assert History(history).entries() == ()
    history.close()


def test_a_speech_that_outlives_its_studio_leaves_no_file_open(open_studio, monkeypatch):
    made = []
    monkeypatch.setattr(entry_record, "FileEncoder", lambda *arguments: made.append(FileEncoder(*arguments)) or made[-1])
    studio = open_studio()
    with studio.speak(SpeechRequest("A text that is long enough.", keep=True)) as speech:
        next(iter(speech))
        studio.history.settle()
        studio._parts.speakers.history.close()
    [encoder] = made
    assert encoder._spool is None


def test_what_is_handed_out_behind_a_hang_up_from_another_thread_opens_no_file(open_studio, monkeypatch):
    """As where a tab is closed while its first sound is on its way."""
    made = []
    monkeypatch.setattr(entry_record, "FileEncoder", lambda *arguments: made.append(arguments))
    studio = open_studio()
    with studio.speak(SpeechRequest("A text that is long enough.", keep=True)) as speech:
        speech._finish(SpeechEnd("cancelled"))  # of `close`, whose other half the reader is quicker than
        assert len(next(iter(speech)))
        studio.history.settle()
    studio.history.settle()
    assert made == []
    assert studio.history.entries() == ()


# --- files that somebody has open, under Windows' rules


@pytest.mark.windows_files
def test_speech_that_somebody_has_open_is_not_deleted_and_whoever_asks_is_told(open_studio, tmp_path, monkeypatch):
    monkeypatch.setattr(durable, "PATIENCE_SECONDS", 0.02)
    studio = open_studio()
    speak(studio)
    [entry] = studio.history.entries()
    with (tmp_path / "history" / f"{entry.id}.json").open("rb"), pytest.raises(PermissionError) as caught:
        studio.history.delete([entry.id])
    assert type(disk_error(caught.value)) is FileInUse and studio.history.entries() == (entry,) and studio.history.audio(entry.id)
    studio.history.delete([entry.id])
    studio._parts.speakers.history.close()
    assert list((tmp_path / "history").iterdir()) == []


@pytest.mark.windows_files
@pytest.mark.parametrize("again", [False, True], ids=["with the next speech", "at the next start"])
@pytest.mark.parametrize("suffix", ["flac", "json"])
def test_speech_of_a_deleted_speaker_is_not_heard_while_somebody_has_it_open_and_goes_afterwards(
    open_studio, tmp_path, monkeypatch, suffix, again
):
    monkeypatch.setattr(durable, "PATIENCE_SECONDS", 0.02)
    studio = open_studio()
    studio.enroll(Enrollment("Ana", "own", clip=clip_of(1)))
    speak(studio, speaker="ana")
    [entry] = studio.history.entries()
    file = tmp_path / "history" / f"{entry.id}.{suffix}"
    with file.open("rb"):
        studio.forget("ana")
        assert studio.history.entries() == () and file.exists()
    if again:
        studio.close()
        studio = open_studio()
    else:
        speak(studio, "Another.")
    assert entry.id not in {path.stem for path in (tmp_path / "history").iterdir()}
    assert all(other.id != entry.id for other in studio.history.entries())
