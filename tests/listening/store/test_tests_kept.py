"""Claims about listening tests as they are kept: whose they are, what may change of them, and when results are seen."""

import json
from dataclasses import replace

import pytest

from studio.errors import (
    DiskFull,
    ListenerUnknown,
    PlanUnusable,
    ResultsHidden,
    TestDamaged,
    TestFrozen,
    TestLimitReached,
    TestNotOpen,
    TestNotReady,
    TestOwnerUnknown,
    TestUnknown,
)
from studio.listening.keep.test import frozen_hash_of
from studio.listening.listening import Listening
from studio.listening.plan.design import Check
from studio.listening.plan.plan import OpenReference, System
from studio.listening.plan.plan_check import plan_of
from studio.listening.planning.tastes import usual_tastes
from studio.listening.statistics.findings import Findings
from studio.workspace import NOBODY, of_a_key
from tests.listening.store.made_tests import PLAN, Maker, finish, opened, render

ANN, BOB = of_a_key("ann"), of_a_key("bob")


def events(listening, test) -> list[str]:
    return [entry.event for entry in listening.log(test.id)]


def test_a_studio_without_tests_makes_no_file_whoever_asks(listening, tmp_path):
    assert listening.tests() == listening.tests_using("Ann") == ()
    for ask in (listening.test, listening.invitation, listening.begin, listening.delete, lambda test: listening.session(test, "x")):
        with pytest.raises(TestUnknown):
            ask("nothing")
    listening._folder.forget_old(lambda workspace, created: True)
    assert not (tmp_path / "listening").exists()


def test_what_was_made_is_there_after_a_restart(open_listening, clock):
    first = open_listening()
    test = render(first, first.create(PLAN))
    session = first.begin(first.freeze(test.id).id)
    kept = first.test(test.id)
    first._folder.close()
    again = open_listening()
    assert again.test(test.id) == kept and again.tests() == (kept,)
    assert (kept.plan, kept.state, kept.created, len(kept.items), kept.n_begun) == (PLAN, "open", clock.now, 4, 1)
    assert again.session(test.id, session.token) == session
    assert len(test.id) == 22 and events(again, test) == ["created", "frozen", "opened"]


def test_any_test_is_copied_as_a_draft_whose_sounds_need_not_be_made_again(listening):
    frozen = opened(listening)
    listening.begin(frozen.id)
    copy = listening.copy(frozen.id)
    assert (copy.state, copy.plan.name, copy.n_begun) == ("draft", "Fast or slow 2", 0) and listening.copy(
        copy.id
    ).plan.name == "Fast or slow 3"
    assert copy.plan.model_copy(update={"name": PLAN.name}) == PLAN
    assert [item.sha256 for item in copy.items] == [item.sha256 for item in frozen.items]
    assert not {item.id for item in copy.items} & {item.id for item in frozen.items}, "or who knows one knows the other"
    again = listening.freeze(copy.id)
    assert len(listening.begin(again.id).trials) == 2 and listening.test(frozen.id).items == frozen.items
    listening.sound_file(frozen.id, frozen.items[0].id).write_bytes(b"damaged")
    listening._sounds._intact.clear()
    assert listening.copy(frozen.id).items == (), "damaged sounds are made again"


def test_tests_are_seen_and_changed_by_their_own_workspace_alone_and_heard_by_whoever_has_the_link(open_listening):
    ann, bob, everybody = open_listening(ANN), open_listening(BOB), open_listening()
    test = opened(ann)
    assert [len(each.tests()) for each in (ann, bob, everybody)] == [1, 0, 0]
    for other in (bob, everybody):
        assert other.tests_using("Ann") == ()
        for ask in (other.test, other.log, other.checks, other.freeze, other.close_test, other.unblind, other.votes, other.delete):
            with pytest.raises(TestUnknown):
                ask(test.id)
        with pytest.raises(TestUnknown):
            other.change(test.id, PLAN)
        with pytest.raises(TestUnknown):
            other.sound_file(test.id, test.items[0].id)
        assert finish(other, test.id, other.begin(test.id)) == 2
    assert ann.test(test.id).n_done == 2


def test_who_does_not_say_who_they_are_makes_no_test(open_listening):
    with pytest.raises(TestOwnerUnknown):
        open_listening(NOBODY).create(PLAN)


def test_a_workspace_has_so_many_tests_and_no_more(open_listening):
    ann = open_listening(ANN, most_tests=3, most_workspace_tests=2)
    tests = [ann.create(PLAN) for _ in range(2)]
    with pytest.raises(TestLimitReached):
        ann.create(PLAN)
    Listening(ann._folder, Maker(BOB)).create(PLAN)
    ann.delete(tests[0].id)
    ann.create(PLAN)
    everybody = Listening(ann._folder, Maker())
    assert len([everybody.create(PLAN) for _ in range(3)]) == 3
    with pytest.raises(TestLimitReached):
        everybody.create(PLAN)


def test_a_plan_that_cannot_be_kept_is_refused_with_the_place_that_is_wrong(listening):
    with pytest.raises(PlanUnusable) as refused:
        plan_of({"name": "x", "method": "ab", "systems": [{"id": "Not So"}]})
    assert refused.value.values["field"] == "systems.0.id"
    with pytest.raises(PlanUnusable):
        plan_of(["no", "plan"])
    with pytest.raises(PlanUnusable):
        listening.create(PLAN.model_copy(update={"name": "half a character: \ud800"}))
    with pytest.raises(PlanUnusable):
        listening.create(PLAN.model_copy(update={"systems": (System(id="a", options={"x": "y" * (1 << 20)}),)}))
    with pytest.raises(PlanUnusable):
        listening.create(PLAN.model_copy(update={"systems": tuple(System(id=f"s{n}") for n in range(25))}))


def test_a_plan_asks_a_listener_no_more_than_somebody_can_answer_and_a_studio_can_deal(listening):
    """Of each pair of 24 systems, 100 texts 64 times: 1.8 million questions, within every other limit."""
    systems = tuple(System(id=f"s{n}") for n in range(24))
    most = PLAN.model_copy(update={"texts": tuple(f"{n}." for n in range(100)), "repeats": 10})
    assert listening.create(most).plan == most
    for more in ({"repeats": 11}, {"repeats": 64, "systems": systems}, {"repeats": 1, "systems": systems}, {"gold": 1}):
        with pytest.raises(PlanUnusable) as refused:
            listening.create(most.model_copy(update=more))
        assert refused.value.values["field"] == ("texts" if more.get("repeats") == 1 else "repeats")


def test_sounds_of_a_draft_stay_as_long_as_nothing_that_is_heard_is_another(listening):
    test = render(listening, listening.create(PLAN))
    same = {"name": "Other", "listeners": 3, "consent": "Yes.", "repeats": 2, "seed": 5}
    renamed = PLAN.systems[0].model_copy(update={"label": "Quick"})
    assert listening.change(test.id, PLAN.model_copy(update=same | {"systems": (renamed, PLAN.systems[1])})).items == test.items
    for other in ({"texts": ("One.",)}, {"lufs": -20.0}, {"gold": 1}, {"systems": (PLAN.systems[0],)}):
        render(listening, listening.change(test.id, PLAN))
        assert listening.change(test.id, PLAN.model_copy(update=other)).items == ()


def test_nothing_about_a_frozen_test_changes(listening):
    test = opened(listening)
    assert test.state == "open" and test.frozen_hash == frozen_hash_of(test.plan, test.items)
    acts = [
        lambda: listening.change(test.id, PLAN),
        lambda: listening.add_sound(test.id, "fast", 0, b""),
        lambda: listening.begin_rendering(test.id),
        lambda: listening.freeze(test.id),
    ]
    for act in acts:
        with pytest.raises(TestFrozen):
            act()
    session = listening.begin(test.id)
    finish(listening, test.id, session)
    late = tuple(replace(item, id=f"late-{item.id}") for item in test.items)
    assert listening._store.write_items(test.id, test.plan, late) == {item.id for item in late}  # of a rendering that began before
    assert listening.test(test.id) == replace(test, n_begun=1, n_done=1) and listening.session(test.id, session.token).is_done


def test_the_hash_is_of_the_plan_and_of_every_sound(listening):
    test = opened(listening)
    hashes = {test.frozen_hash, frozen_hash_of(PLAN.model_copy(update={"seed": 1}), test.items), frozen_hash_of(PLAN, test.items[1:])}
    assert len(hashes) == 3 and frozen_hash_of(PLAN, test.items[::-1]) == test.frozen_hash


def test_a_test_that_fails_a_check_is_not_frozen_and_a_warning_keeps_nobody(listening, failing):
    test = render(listening, listening.create(PLAN))
    failing += [Check("few_texts", False, needed=False), Check("loudness", False), Check("rate", True)]
    with pytest.raises(TestNotReady) as refused:
        listening.freeze(test.id)
    assert refused.value.failed == ("loudness",) and listening.test(test.id).state == "draft"
    del failing[1]
    assert listening.freeze(test.id).state == "open"


def test_a_draft_neither_opens_to_listeners_nor_closes(listening):
    test = render(listening, listening.create(PLAN))
    for act in (listening.begin, listening.close_test, listening.unblind):
        with pytest.raises(TestNotOpen):
            act(test.id)


def test_results_are_hidden_until_the_test_is_closed(listening):
    test = opened(listening)
    finish(listening, test.id, listening.begin(test.id))
    for ask in (listening.votes, listening.findings, listening.shown):
        with pytest.raises(ResultsHidden):
            ask(test.id)
    closed = listening.close_test(test.id)
    assert (closed.state, closed.is_unblinded, events(listening, test)[-1]) == ("closed", False, "closed")
    assert [vote.listener for vote in listening.votes(test.id)] == ["L01", "L01"]
    assert listening.close_test(test.id) == closed and events(listening, test).count("closed") == 1


def test_unblinding_closes_is_noted_once_and_is_final(listening):
    test = opened(listening)
    unblinded = listening.unblind(test.id, "Ann")
    assert (unblinded.state, unblinded.is_unblinded) == ("closed", True)
    assert listening.unblind(test.id, "Bob") == unblinded
    noted = [(entry.event, entry.details) for entry in listening.log(test.id)][-2:]
    assert noted == [("closed", {}), ("unblinded", {"who": "Ann"})]
    listening.votes(test.id)


def test_sounds_that_are_not_what_was_frozen_are_neither_served_nor_counted(open_listening):
    first = open_listening()
    test = opened(first)
    session = first.begin(test.id)
    path = first.sound_file(test.id, test.items[0].id)
    first.close_test(test.id)
    for damage in (lambda: path.write_bytes(b"another"), path.unlink):
        damage()
        again = open_listening()
        with pytest.raises(TestDamaged):
            again.votes(test.id)
        with pytest.raises(TestDamaged):
            for slot in (slot for trial in session.trials for slot in trial.slots):
                again.sound(test.id, slot.sound)


def test_a_plan_that_was_changed_behind_our_back_is_not_counted(listening):
    test = opened(listening)
    listening.close_test(test.id)
    with listening._database.writing() as rows:
        rows.execute("UPDATE tests SET plan = replace(plan, 'One.', 'Won.')")
    with pytest.raises(TestDamaged):
        listening.votes(test.id)


def test_listeners_count_by_hand_and_the_log_says_so(listening):
    test = opened(listening)
    listening.begin(test.id)
    for counts in (False, True, None):
        listening.set_counted(test.id, "L01", counts)
        assert listening.counted(test.id) == ({} if counts is None else {"L01": counts})
    with pytest.raises(ListenerUnknown):
        listening.set_counted(test.id, "L02", True)
    said = [entry.details["counts"] for entry in listening.log(test.id) if entry.event == "counted"]
    assert said == [False, True, None]


# --- speakers and workspaces that go


def test_tests_are_found_by_every_speaker_that_they_name_however_it_is_written(listening):
    plan = PLAN.model_copy(update={"other_speaker": "Cy", "reference": OpenReference(source="recording", speaker="Dora")})
    test = listening.create(plan)
    assert all(listening.tests_using(name) == (test,) for name in ("ann", " BOB", "Cy", "dora"))
    changed = listening.change(test.id, PLAN)
    assert listening.tests_using("Cy") == () and listening.tests_using("Ann") == (changed,)


def test_a_speaker_that_goes_takes_its_tests_along_or_leaves_them_their_sounds(listening, tmp_path):
    kept, gone = opened(listening), opened(listening, PLAN.model_copy(update={"systems": (System(id="x", speaker="Cy"),)}))
    listening.speaker_gone("ANN", delete_tests=False)
    assert listening.test(kept.id) == kept and listening.log(kept.id)[-1].details == {"speaker": "ANN"}
    listening.speaker_gone("cy", delete_tests=True)
    assert listening.tests() == (kept,) and not (tmp_path / "listening" / gone.id).exists()
    with pytest.raises(TestUnknown):
        listening.invitation(gone.id)


def test_a_renamed_speaker_is_renamed_in_drafts_and_found_by_the_new_name_in_frozen_tests(listening):
    frozen, draft = opened(listening), listening.create(PLAN)
    listening.speaker_renamed("ann", "Zoe")
    assert listening.test(frozen.id).plan == PLAN
    assert [system.speaker for system in listening.test(draft.id).plan.systems] == ["Zoe", "Bob"]
    assert listening.tests_using("Ann") == () and {test.id for test in listening.tests_using("zoe")} == {frozen.id, draft.id}
    listening.close_test(frozen.id)
    assert listening.votes(frozen.id) == ()


def test_old_tests_of_any_workspace_go_with_their_files(open_listening, clock, tmp_path):
    ann, everybody = open_listening(ANN), open_listening()
    gone, kept = opened(ann), everybody.create(PLAN)
    everybody._folder.forget_old(lambda workspace, created: workspace == ANN and created == clock.now)
    assert ann.tests() == () and everybody.tests() == (kept,)
    assert not (tmp_path / "listening" / gone.id).exists()


def test_deleting_a_test_leaves_nothing_of_it(listening, tmp_path):
    test = opened(listening, PLAN.model_copy(update={"name": "Quintilian"}))
    finish(listening, test.id, listening.begin(test.id))
    listening.delete(test.id)
    with listening._database.reading() as rows:
        tables = [row[0] for row in rows.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        assert len(tables) == 10 and not any(rows.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables)
    listening._folder.close()
    assert not any(b"Quintilian" in path.read_bytes() for path in (tmp_path / "listening").iterdir())


def test_what_a_deletion_left_that_was_cut_short_goes_at_the_next_start(open_listening, tmp_path):
    first = open_listening()
    kept, gone = opened(first), opened(first)
    (tmp_path / "listening" / "of somebody else").mkdir()
    first._store.delete(gone.id)
    first._folder.close()
    assert open_listening().tests() == (kept,)
    assert {path.name for path in (tmp_path / "listening").iterdir() if path.is_dir()} == {kept.id, "of somebody else"}


def test_what_the_log_says_can_be_written_as_json(listening):
    test = opened(listening)
    json.dumps([entry.details for entry in listening.log(test.id)])


@pytest.mark.windows_files
@pytest.mark.parametrize("again", [False, True], ids=["with the next test", "at the next start"])
def test_sounds_of_a_deleted_test_that_somebody_has_open_go_when_they_are_closed(open_listening, tmp_path, again):
    listening = open_listening()
    gone, other = render(listening, listening.create(PLAN)), listening.create(PLAN)
    folder = listening.folder(gone.id)
    with (folder / f"{gone.items[0].id}.wav").open("rb"):
        listening.delete(gone.id)
        assert [path.name for path in folder.iterdir()] == [f"{gone.items[0].id}.wav"]
        with pytest.raises(TestUnknown):
            listening.test(gone.id)
    if again:
        listening._folder.close()
        open_listening().tests()
    else:
        listening.delete(other.id)
    assert not folder.exists() and listening._store.leaving() == ()


def test_a_test_is_deleted_on_a_full_disk_too_whose_room_its_sounds_take(listening, monkeypatch):
    test, delete = opened(listening), listening._store.delete

    def on_a_full_disk(test_id: str) -> None:
        if listening._sounds.folder(test_id).exists():
            raise DiskFull
        delete(test_id)

    monkeypatch.setattr(listening._store, "delete", on_a_full_disk)
    listening.delete(test.id)
    assert listening.tests() == ()


def test_a_plan_reckons_with_tastes_of_closed_tests_of_its_method_and_workspace(open_listening, clock, monkeypatch):
    """A stand-in for findings says that tastes are as large as the hour in which a test was made."""
    ann, bob = open_listening(ANN), open_listening(BOB)

    def found(test) -> Findings:
        if (hour := (test.created - 1_800_000_000) / 3600) == 3:
            raise TestDamaged
        components = {"listener_system": hour, "text_system": hour, "rest": 1.0}
        return Findings("ab", 10, 10, 100, 0, 0, (), (), (), (), components=components)

    monkeypatch.setattr(ann._results, "findings", found)
    for hour in range(1, 8):
        clock.now = 1_800_000_000 + 3600 * hour
        test = opened(ann)
        assert ann.tastes("ab").n_tests == sum(closed != 3 for closed in range(max(1, hour - 5), hour)), "an open one says nothing yet"
        ann.close_test(test.id)
    assert ann.tastes("ab").n_tests == 4 and 4 < ann.tastes("ab").listener_system < 5  # of 4 to 7: the newest five, and one is damaged
    assert ann.tastes("mos") == usual_tastes("mos") and bob.tastes("ab") == usual_tastes("ab")


def test_the_margin_of_equality_is_frozen_and_costs_a_draft_no_sounds(listening):
    test = render(listening, listening.create(PLAN))
    chosen = PLAN.model_copy(update={"margin": 0.1})
    assert listening.change(test.id, chosen).items == test.items
    hashed = listening.freeze(test.id).frozen_hash
    assert hashed == frozen_hash_of(chosen, test.items) != frozen_hash_of(PLAN, test.items)
    with pytest.raises(TestFrozen):
        listening.change(test.id, PLAN)
