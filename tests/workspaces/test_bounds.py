"""How much and how long a visitor may keep, and that no visitor pays for another's much."""

import time
from dataclasses import replace

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.contract.speech_end import ENDED
from studio.errors import EntryUnknown, PinsFull, SpeakerUnknown, UndoTooLate
from studio.library.expiry import Expiry
from studio.prompt_key import PromptKey
from studio.prompts.cache import SpeakerCache
from studio.speakers import clip_draft
from studio.speakers.clip_draft import AllDrafts, ClipDraft, ClipDrafts, DraftGone
from studio.speakers.registry import LiveGenerations
from studio.speech.history import History
from studio.speech.kept.entry import HistoryEntry
from studio.speech.kept.history_folder import HistoryFolder
from studio.speech.request import SpeechRequest
from studio.timeline import Timeline
from studio.workspace import EVERYBODY, NOBODY, of_a_session
from tests.studio.prompts.test_cache import key, prompt
from tests.studio.speakers.store_subjects import clip_of, recording

ANN, BO = "visitor:ann", "visitor:bo"
SESSION = of_a_session("a page")
HOUR = 3600.0


# --- how long


@pytest.fixture
def private_studio(open_studio):
    return lambda **settings: open_studio(workspaces="private", warm_uploads=False, **settings)


def kept_hours(studio, hours_later: float) -> set[str]:
    """Whose voices are there still after a sweep so much later."""
    clock = [time.time() + hours_later * HOUR]
    Expiry(
        studio.settings.model_copy(update={"workspaces": "shared"}),
        studio.store,
        [studio._parts.speakers.history],
        studio._parts.speakers.forgetter.forget,
        lambda: clock[0],
    ).sweep()
    return {speaker.workspace for speaker in studio.store.speakers()}


def test_what_a_visitor_has_goes_when_its_time_is_over_with_all_that_was_learned_of_it(private_studio):
    studio = private_studio(workspace_hours=24.0)
    for workspace in (EVERYBODY, ANN):
        view = studio.within(workspace)
        view.enroll(recording("Zoe" if workspace else "Demo", clip=clip_of(3, seconds=2.0)))
        view.warm("Zoe" if workspace else "Demo")
        with view.speak(SpeechRequest("kept", speaker="Zoe" if workspace else "Demo", keep=True)) as speech:
            speech.read_all()
    studio.history.settle()
    gone = studio.within(ANN).speaker("Zoe")
    assert kept_hours(studio, 23.9) == {EVERYBODY, ANN}
    assert kept_hours(studio, 24.1) == {EVERYBODY}
    with pytest.raises(SpeakerUnknown):
        studio.within(ANN).speaker("Zoe")
    assert (len(studio.within(ANN).history.entries()), len(studio.history.entries())) == (0, 1)
    assert studio.stats().entries == 1 and studio.store.prompt_files(gone.generation) == ()
    assert not [path for path in studio.settings.speakers_dir.rglob("*") if gone.generation_id in path.name]


@pytest.mark.parametrize(("hours", "after", "kept"), [(0.0, 23.9, True), (0.0, 24.1, False), (2.0, 2.1, False), (48.0, 24.1, False)])
def test_nobody_comes_back_to_a_session_so_what_it_has_goes_after_a_day_at_most(private_studio, hours, after, kept):
    studio = private_studio(workspace_hours=hours)
    studio.within(SESSION).enroll(recording("Zoe"))
    assert (SESSION in kept_hours(studio, after)) == kept


def test_for_ever_is_for_ever(private_studio):
    studio = private_studio(workspace_hours=0.0)
    studio.within(ANN).enroll(recording("Zoe"))
    assert kept_hours(studio, 24.0 * 365) == {ANN}


def test_a_speech_goes_when_its_time_is_over_though_its_voice_is_everybodys(private_studio):
    studio = private_studio(workspace_hours=1.0)
    view = studio.within(ANN)
    with view.speak(SpeechRequest("kept", speaker="tone", keep=True)) as speech:
        speech.read_all()
    studio.history.settle()
    assert len(view.history.entries()) == 1
    kept_hours(studio, 1.1)
    assert view.history.entries() == () and not list((studio.settings.speakers_dir / "history").glob("*"))


# --- how much of the history


def entry(number: int, workspace: str, *, starred: bool = False) -> HistoryEntry:
    facts = {
        "speaker": "x",
        "generation_id": None,
        "engine": "fake",
        "options": {},
        "ended": "ended",
        "seconds": 1.0,
        "sample_rate": 24_000,
    }
    return HistoryEntry(f"{number:032x}", float(number), f"text {number}", workspace=workspace, starred=starred, **facts)


def keep(history: HistoryFolder, *entries: HistoryEntry) -> None:
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, 24_000).astype(np.float32)
    for one in entries:
        record = history.recorder(one, Timeline())
        record.add(noise)
        record.end(ENDED, lambda: None)
    history.settle()


def numbers(history: HistoryFolder, workspace: str) -> list[int]:
    return [int(entry.id, 16) for entry in History(history, workspace).entries()]


def test_a_greedy_visitor_pushes_out_only_its_own_speeches(tmp_path):
    history = HistoryFolder(tmp_path / "history", most_entries=2)
    keep(history, entry(1, ANN), *(entry(number, BO) for number in range(2, 8)))
    assert (numbers(history, ANN), numbers(history, BO)) == ([1], [7, 6])
    again = HistoryFolder(tmp_path / "history", most_entries=2)
    assert (numbers(again, ANN), numbers(again, BO), numbers(again, EVERYBODY)) == ([1], [7, 6], [])
    history.close()


def test_where_all_together_have_too_much_it_goes_from_whom_has_most(tmp_path):
    size = HistoryFolder(tmp_path / "one", most_entries=9)
    keep(size, entry(1, ANN))
    one = History(size, ANN).entries()[0].n_bytes
    history = HistoryFolder(tmp_path / "history", most_entries=9, most_bytes=9 * one, most_bytes_in_all=4 * one)
    keep(history, *(entry(number, BO) for number in (1, 2, 3)), entry(4, ANN), entry(5, ANN))
    assert (numbers(history, ANN), numbers(history, BO)) == ([5, 4], [3, 2])
    for opened in (size, history):
        opened.close()


def test_an_entry_is_nothing_to_another_workspace(tmp_path):
    history = HistoryFolder(tmp_path / "history", most_entries=9)
    keep(history, entry(1, ANN))
    bo, found = History(history, BO), f"{1:032x}"
    for ask in (bo.entry, bo.audio, lambda entry_id: bo.delete([entry_id]), lambda entry_id: bo.star(entry_id, True)):
        with pytest.raises(EntryUnknown):
            ask(found)
    ann = History(history, ANN)
    assert ann.entry(found).starred is False
    deletion = ann.delete([found])
    with pytest.raises(UndoTooLate):
        bo.restore(deletion)
    assert ann.restore(deletion) == 1 and ann.audio(found)
    history.close()


def test_nobody_has_no_history(private_studio):
    studio = private_studio()
    with studio.within(NOBODY).speak(SpeechRequest("kept", speaker="tone", keep=True)) as speech:
        speech.read_all()
    studio.history.settle()
    assert studio.within(NOBODY).history.entries() == () and not (studio.settings.speakers_dir / "history").exists()


# --- drafts


def draft(seconds: float) -> ClipDraft:
    return ClipDraft(Clip(np.zeros(round(seconds * 24_000), np.float32), 24_000))


def test_a_draft_is_had_by_its_own_workspace_alone():
    drafts = ClipDrafts()
    mine = drafts.within(ANN).keep(draft(1.0))
    for other in (drafts.within(BO), drafts.within(NOBODY), drafts):
        with pytest.raises(DraftGone):
            other.get(mine.id)
        other.drop(mine.id)
    assert drafts.within(ANN).get(mine.id) is mine


def test_many_drafts_of_one_visitor_push_out_none_of_another(monkeypatch):
    monkeypatch.setattr(clip_draft, "MOST_DRAFTS", 3)
    drafts = ClipDrafts()
    mine = drafts.within(ANN).keep(draft(1.0))
    greedy = [drafts.within(BO).keep(draft(2.0)) for _ in range(5)]
    assert drafts.within(ANN).get(mine.id) is mine
    assert drafts.within(BO).get(greedy[-1].id) is greedy[-1]
    with pytest.raises(DraftGone):
        drafts.within(BO).get(greedy[0].id)
    heavy = ClipDrafts(AllDrafts(most_bytes=draft(4.0).clip.samples.nbytes))
    mine = heavy.within(ANN).keep(draft(1.0))
    for _ in range(3):
        heavy.within(BO).keep(draft(2.0))
    assert heavy.within(ANN).get(mine.id) is mine and len(heavy) == 2


# --- what is counted of the cache


def cache_of(**bounds: int) -> SpeakerCache:
    owners = LiveGenerations()
    owners.publish({"x": "1" * 32})
    return SpeakerCache(owners, **({"max_bytes": 10_000, "max_entries": 100} | bounds))


def scoped(name: str, workspace: str) -> PromptKey:
    return replace(key(name), scope=workspace)


def test_a_workspace_counts_its_own_lookups_and_the_prompts_that_it_may_use():
    cache = cache_of()
    for workspace, name in ((ANN, "a"), (ANN, "a"), (BO, "b"), (EVERYBODY, "demo")):
        cache.get_or_extract(scoped(name, workspace), prompt, asker=workspace)
    cache.took("fake", 2.0, ANN)
    cache.pin(scoped("a", ANN))
    ann, bo = cache.stats(ANN), cache.stats(BO)
    assert (ann.entries, ann.memory_bytes, ann.pinned, ann.hits, ann.misses, ann.extraction_seconds) == (2, 800, 1, 1, 1, 2.0)
    assert (bo.entries, bo.memory_bytes, bo.pinned, bo.pinned_bytes, bo.hits, bo.misses, bo.extraction_seconds) == (2, 800, 0, 0, 0, 1, 0.0)
    assert (bo.engines["fake"].misses, bo.engines["fake"].entries) == (1, 2)
    everything = cache.stats()
    assert (everything.entries, everything.hits, everything.misses, everything.pinned) == (3, 1, 3, 1)


def test_strangers_count_for_nobody(private_studio):
    studio = private_studio()
    with studio.within(NOBODY).speak(SpeechRequest("hello", speaker="tone")) as speech:
        speech.read_all()
    assert (studio.within(NOBODY).stats().lookups, studio.stats().lookups) == (0, 1)


def test_one_recording_of_two_workspaces_is_learned_twice_and_forgotten_apart(private_studio):
    studio = private_studio()
    clip = clip_of(3, seconds=2.0)
    for workspace in (ANN, BO):
        studio.within(workspace).enroll(recording("Zoe", clip=clip))
        assert studio.within(workspace).warm("Zoe").outcome == "miss"
    studio.within(ANN).forget("Zoe")
    assert studio.within(BO).warm("Zoe").outcome == "hit"
    assert studio.within(BO).prompts.places(studio.within(BO).speaker("Zoe")) == {"fake": "memory"}


def test_an_inline_recording_of_nobody_is_learned_anew_each_time(private_studio):
    studio = private_studio()
    outcomes = []
    for workspace in (NOBODY, NOBODY, ANN, ANN):
        timeline = Timeline()
        with studio.within(workspace).speak(SpeechRequest("hello", clip=clip_of(3, seconds=2.0)), timeline) as speech:
            speech.read_all()
        outcomes.append(timeline.cache)
    assert outcomes == ["miss", "miss", "miss", "hit"]


def test_a_visitor_who_may_pin_no_more_is_not_told_how_much_others_pin():
    cache = cache_of(max_entries=4)
    for number in range(4):
        cache.get_or_extract(scoped(str(number), ANN if number < 3 else BO), prompt)
    assert all(cache.pin(scoped(str(number), ANN)) for number in range(3))
    with pytest.raises(PinsFull) as full:
        cache.pin(scoped("3", BO))
    assert not any(character.isdigit() for character in full.value.fact)


def test_a_prompt_learned_for_one_workspace_lies_on_disk_as_any_other():
    assert scoped("a", ANN).digest == key("a").digest and scoped("a", ANN) != key("a")
    assert ANN not in repr(scoped("a", ANN))
