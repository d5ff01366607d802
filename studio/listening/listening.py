"""Listening: makes, renders, freezes, opens and counts the listening tests of a workspace. It is the one object that doors hold."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from studio.errors import (
    ResultsHidden,
    TestFrozen,
    TestNotOpen,
    TestNotReady,
    TestOwnerUnknown,
    TestRendering,
    TestsNewer,
    TestsUnreadable,
    TestUnknown,
)
from studio.listening.keep.test import Invitation, ListeningTest, LogEntry, frozen_hash_of
from studio.listening.listening_folder import ListeningFolder
from studio.listening.making import Making
from studio.listening.people.arrival import ListenerArrival, kept_of
from studio.listening.people.form import form_counts
from studio.listening.people.people import Person
from studio.listening.people.taken_along import TakenAlong, taken_along
from studio.listening.plan.design import Answer, Check
from studio.listening.plan.plan import Method, Plan, free_name
from studio.listening.plan.plan_check import check_plan, have_the_same_sounds
from studio.listening.plan.render_steps import render_steps_of
from studio.listening.planning.tastes import Tastes
from studio.listening.render.speaking_studio import SpeakingStudio
from studio.listening.results import Results
from studio.listening.statistics.findings import Findings
from studio.listening.vote.sessions import ListenerSession
from studio.listening.vote.vote import Vote
from studio.running.jobs.background_jobs import JobProgress
from studio.workspace import NOBODY

__all__ = ["Listening"]

MOST_EARLIER = 5  # tests that a plan reckons with

log = logging.getLogger("studio.listening")


class Listening:
    """Every method may be called from any thread, and blocks until it is done. Seen and made are tests of the studio's workspace,
    spoken with its speakers.

    Beside what they say, all raise TestUnknown, TestsUnreadable, TestsNewer, DiskError and OSError.
    """

    def __init__(self, folder: ListeningFolder, studio: SpeakingStudio):
        self._folder, self._studio, self._workspace = folder, studio, studio.workspace
        self._sounds, self._database, self._store = folder.sounds, folder.database, folder.store
        self._sessions, self._jobs = folder.sessions, folder.jobs
        self._making, self._results = Making(folder, studio), Results(folder)

    # --- making tests

    def create(self, plan: Plan) -> ListeningTest:
        """A draft. Raises PlanUnusable, TestLimitReached, TestOwnerUnknown."""
        if self._workspace == NOBODY:
            raise TestOwnerUnknown
        check_plan(plan)
        return self._store.create(plan, self._workspace, self._folder.most_tests(self._workspace))

    def copy(self, test_id: str) -> ListeningTest:
        """A draft with the plan, the files and the sounds of any test, so that nothing is said again where its plan stays as it is. Raises
        TestLimitReached, TestOwnerUnknown."""
        test = self.test(test_id)
        names = {one.plan.name for one in self.tests()}
        draft = self.create(test.plan.model_copy(update={"name": free_name(test.plan.name, names)}))
        if items := self._sounds.copied(test, draft.id):
            self._store.write_items(draft.id, draft.plan, items)
        return self.test(draft.id)

    def tests(self) -> tuple[ListeningTest, ...]:
        """Newest first."""
        self._folder.sweep()
        return self._store.tests(self._workspace)

    def version(self) -> str:
        """Of all tests there are; it moves for other workspaces, too. Cheap to ask."""
        return self._database.version()

    def test(self, test_id: str) -> ListeningTest:
        return self._store.test(test_id, self._workspace)

    def change(self, test_id: str, plan: Plan) -> ListeningTest:
        """Another plan for a draft. Sounds that it leaves as they are stay, and files go with their texts. Raises PlanUnusable, TestFrozen,
        TestRendering."""
        check_plan(plan)
        test = self._draft(test_id)
        self._sounds.uploads(test.id).follow(test.plan.texts, plan.texts)
        return self._sounds.changed(test, self._store.change(test.id, plan, keeps_items=have_the_same_sounds(plan, test.plan)))

    def add_sound(self, test_id: str, system: str, text: int, data: bytes, filename: str = "") -> ListeningTest:
        """One sound of a system of files, or of the open reference ("reference"), for one text of a draft, by its index.

        Raises SoundUnusable, what decoding raises, TestFrozen, TestRendering.
        """
        test = self._draft(test_id)
        self._sounds.uploads(test.id).add(test.plan, system, text, data, filename)
        return self._sounds.changed(test, self._store.change(test.id, test.plan, keeps_items=False))

    def uploads(self, test_id: str) -> tuple[tuple[str, int], ...]:
        """(system, text) of all sounds that were sent."""
        return tuple(self._sounds.uploads(self.test(test_id).id).files())

    def delete(self, test_id: str) -> None:
        """With its sounds, answers and log."""
        self._folder.delete(self.test(test_id).id)

    # --- rendering

    def begin_rendering(self, test_id: str) -> None:
        """Make what is missing of a draft's sounds, on a thread; nothing happens where that goes on already. Raises TestFrozen."""
        test = self.test(test_id)
        if test.state != "draft":
            raise TestFrozen
        self._folder.hearings.stop(test.id)
        self._jobs.begin(test.id, partial(self._making.render, test))

    def stop_rendering(self, test_id: str) -> None:
        """Soon; what has been made is kept."""
        self._jobs.stop(self.test(test_id).id)

    def progress(self, test_id: str) -> JobProgress:
        """Of the last rendering since the studio began; without one, of what there is."""
        test = self.test(test_id)
        n_jobs = len(render_steps_of(test.plan))
        return self._jobs.progress(test.id) or JobProgress(n_jobs if test.items else 0, n_jobs)

    def checks(self, test_id: str) -> tuple[Check, ...]:
        """Of blindness and of sense (studio/listening/render/checks.py), as they were when first asked of this plan and these sounds."""
        return self._making.checks(self.test(test_id))

    def is_hearing(self, test_id: str) -> bool:
        """Whether the transcriber listens to its sounds, and checks will tell more soon."""
        return self._folder.hearings.is_running(test_id)

    def tastes(self, method: Method) -> Tastes:
        """By how much listeners and texts differ in what they favor, as the newest closed tests of that method found; else as is usual."""
        closed = (test for test in self._store.tests(self._workspace) if test.state == "closed" and test.plan.method == method)
        return self._results.tastes(method, tuple(islice(closed, MOST_EARLIER)))

    # --- running tests

    def freeze(self, test_id: str) -> ListeningTest:
        """Open a draft to listeners; nothing about its plan and sounds changes from then on. Rehearsals of it are thrown away.

        Raises TestNotReady, TestDamaged, TestFrozen, TestRendering.
        """
        while True:
            test = self._draft(test_id)
            if failed := tuple(check.key for check in self._making.checks_of_now(test) if check.needed and not check.passed):
                raise TestNotReady(failed)
            self._sounds.check(test)
            if frozen := self._store.freeze(test, frozen_hash_of(test.plan, test.items)):
                self._sounds.keep_only(frozen)
                return frozen

    def close_test(self, test_id: str) -> ListeningTest:
        """Take no more answers, and show the results. Raises TestNotOpen."""
        self._check_begun(test_id)
        return self._store.close_test(test_id)

    def unblind(self, test_id: str, who: str = "") -> ListeningTest:
        """Show the results at once, which closes the test, is logged and cannot be undone. Raises TestNotOpen."""
        self._check_begun(test_id)
        return self._store.unblind(test_id, who)

    def log(self, test_id: str) -> tuple[LogEntry, ...]:
        """Oldest first."""
        return self._store.log(self.test(test_id).id)

    # --- results

    def votes(self, test_id: str) -> tuple[Vote, ...]:
        """All of them, also of listeners who did not come to the end, and of experimenters, marked. Raises ResultsHidden, TestDamaged."""
        return self._results.votes(self.shown(test_id))

    def findings(self, test_id: str) -> Findings:
        """Raises ResultsHidden, TestDamaged."""
        return self._results.findings(self.shown(test_id))

    def shown(self, test_id: str) -> ListeningTest:
        """A test whose results, and sounds by name, may be seen, with what its panel said of itself. Raises ResultsHidden, TestDamaged."""
        test = self.test(test_id)
        if not test.shows_results:
            raise ResultsHidden
        self._sounds.check(test)
        asked = (*test.plan.questionnaire.before, *test.plan.questionnaire.after)
        return replace(test, form_counts=form_counts(asked, self._forms(test))) if asked else test

    def counted(self, test_id: str) -> dict[str, bool]:
        """What was said by hand: listener -> whether they count."""
        return self._store.counted(self.test(test_id).id)

    def set_counted(self, test_id: str, listener: str, counts: bool | None) -> None:
        """By hand, whatever the rules say; None leaves it to them. Logged. Raises ListenerUnknown."""
        test = self.test(test_id)
        self._sessions.check_listener(test.id, listener)
        self._store.set_counted(test.id, listener, counts)

    def listeners(self, test_id: str) -> tuple[Person, ...]:
        """All who began, with what is kept of them. Raises ResultsHidden, TestDamaged."""
        return self._sessions.people(self.shown(test_id).id)

    def listener(self, test_id: str, who: str) -> Person:
        """who: as results call them, or the code that they were given. Raises ListenerUnknown, ResultsHidden, TestDamaged."""
        return self._sessions.person(self.shown(test_id).id, who)

    def delete_listener(self, test_id: str, who: str) -> None:
        """Everything of one person, whether or not results are shown. who: as above. Raises ListenerUnknown."""
        self._sessions.forget(self.test(test_id).id, who)

    def sound_file(self, test_id: str, item: str) -> Path:
        """Of an item, for whoever made the test. Raises TestUnknown for one that is not there either."""
        test = self.test(test_id)
        if item not in {one.id for one in test.items}:
            raise TestUnknown
        return self._sounds.path(test.id, item)

    def folder(self, test_id: str) -> Path:
        """Where `<item>.wav` lie."""
        return self._sounds.folder(self.test(test_id).id)

    # --- speakers that go

    def tests_using(self, speaker: str) -> tuple[ListeningTest, ...]:
        """Newest first."""
        return self._store.using(speaker, self._workspace)

    def speaker_gone(self, speaker: str, *, delete_tests: bool) -> tuple[ListeningTest, ...]:
        """A speaker was deleted: so are the tests that name it, or they keep their sounds, which is logged, where that can be read."""
        try:
            used = self.tests_using(speaker)
            for test in used:
                self._folder.delete(test.id) if delete_tests else self._store.note_speaker_gone(test.id, speaker)
        except (TestsUnreadable, TestsNewer) as error:
            if delete_tests:
                raise
            log.warning("listening tests were not looked at for a voice that is gone: %s", error)
            return ()
        return used

    def speaker_renamed(self, before: str, after: str) -> None:
        """Drafts say the new name; frozen tests stay as they are, and are found by it. A file that is damaged keeps nobody from a name."""
        try:
            for test in self.tests_using(before):
                self._store.rename_speaker(test, before, after)
        except (TestsUnreadable, TestsNewer) as error:
            log.warning("listening tests do not know that a speaker has another name: %s", error)

    # --- listening: whoever has the link

    def behind(self, link: str) -> str:
        """The id of the test of a listeners' link, which no listener is told."""
        return self._store.behind(link)

    def invitation(self, test_id: str) -> Invitation:
        return Invitation.of(self._store.test(test_id))

    def begin(
        self,
        test_id: str,
        *,
        experimenter: bool = False,
        device: str = "",
        browser: str = "",
        query: str = "",
        form: Mapping[str, object] | None = None,
    ) -> ListenerSession:
        """A listener, with a token that is told this once, and a code of their own.

        experimenter: whoever made the test and tries it, also a draft that is rendered; not in headline numbers. query: of the link by
        which they come. form: the questionnaire before the sounds. Raises TestNotOpen, TestClosed, TestFull, TestQuotaFull, TestPreviewed,
        ListenerKnown, ListenerScreenedOut, AnswerRefused, TestDamaged.
        """
        test = self._store.test(test_id)
        if test.state == "open":
            self._sounds.check(test)  # all at once, since a first look takes longer, and how long a sound takes to come must tell nothing
        return self._sessions.begin(test.id, ListenerArrival(experimenter, device, browser, query, form or {}))

    def session(self, test_id: str, token: str, query: str = "") -> ListenerSession:
        """query: of the link by which they come back. Raises ListenerUnknown."""
        return self._sessions.session(self._store.test(test_id).id, token, query)

    def answer_form(self, test_id: str, token: str, answers: Mapping[str, object]) -> None:
        """The questionnaire after the sounds. Raises AnswerRefused, ListenerUnknown, TestClosed."""
        self._sessions.answer_form(self._store.test(test_id).id, token, answers)

    def taken_along(self, test_id: str, token: str) -> TakenAlong:
        """Of who is through. Raises AnswerRefused, ListenerUnknown."""
        return self._sessions.taken_along(self._store.test(test_id).id, token)

    def turned_away(self, test_id: str, query: str, *, is_full: bool) -> TakenAlong:
        """What somebody takes along who does not begin: since enough have listened, or by what they said of themselves."""
        plan = self._store.test(test_id).plan
        return taken_along(plan.completion.full if is_full else plan.completion.screened_out, kept_of(query, plan))

    def person(self, test_id: str, code: str) -> Person:
        """Everything that is kept of whoever was given that code. Raises ListenerUnknown."""
        return self._sessions.person(self._store.test(test_id).id, code)

    def withdraw(self, test_id: str, code: str) -> None:
        """Delete everything of whoever was given that code, in whatever state the test is. Raises ListenerUnknown."""
        self._sessions.forget(self._store.test(test_id).id, code)

    def sound(self, test_id: str, sound: str) -> bytes:
        """WAV of a slot's name, in bytes that no other slot has, and the same at each fetch. Raises TestDamaged."""
        from studio.listening.render.slot_sound import slot_wav

        test = self._store.test(test_id)
        item = self._sessions.item_of(test.id, sound)
        found = next((one for one in test.items if one.id == item), None)
        if found is None:
            raise TestUnknown
        return slot_wav(self._sounds.read(test, found), found.id, sound)

    def answer(self, test_id: str, token: str, answer: Answer) -> int:
        """On disk before it returns: the number of trials that are answered. Raises AnswerRefused, ListenerUnknown, TestClosed."""
        return self._sessions.answer(self._store.test(test_id).id, token, answer)

    # --- private

    def _forms(self, test: ListeningTest) -> list[dict[str, object]]:
        """Of all listeners who came to the end."""
        people = self._sessions.people(test.id)
        return [{**one.before, **(one.after or {})} for one in people if one.done is not None and not one.experimenter]

    def _draft(self, test_id: str) -> ListeningTest:
        test = self.test(test_id)
        if test.state != "draft":
            raise TestFrozen
        if self._jobs.is_running(test.id):
            raise TestRendering
        return test

    def _check_begun(self, test_id: str) -> None:
        if self.test(test_id).state == "draft":
            raise TestNotOpen
