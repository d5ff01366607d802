"""Results: the votes of tests that show them, and what these say, which is kept while nothing of it is another."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from studio.errors import TestDamaged
from studio.listening.keep.test import ListeningTest
from studio.listening.listening_folder import ListeningFolder, kept
from studio.listening.plan.design import Role
from studio.listening.plan.plan import Method
from studio.listening.plan.render_steps import label_of
from studio.listening.plan.screening import UNPLANNED
from studio.listening.planning.tastes import Tastes, tastes_of
from studio.listening.screening.assessor import Admission
from studio.listening.statistics.findings import Findings
from studio.listening.vote.conduct import Conduct
from studio.listening.vote.vote import Vote
from studio.listening.vote.votes import votes_of

__all__ = ["Results"]


class Results:
    """Of tests of any workspace; whether somebody may see them is not asked here."""

    def __init__(self, folder: ListeningFolder):
        self._folder, self._sessions, self._store = folder, folder.sessions, folder.store

    def votes(self, test: ListeningTest) -> tuple[Vote, ...]:
        """Also of listeners who did not come to the end, and of experimenters, marked."""
        return self._votes(test, self._sessions.conducts(test.id))

    def findings(self, test: ListeningTest) -> Findings:
        """By the rules that its plan has chosen."""
        from studio.listening.statistics.analysis import Beforehand, findings_of

        plan = test.plan
        conducts, counted = self._sessions.conducts(test.id), self._store.counted(test.id)
        votes = self._votes(test, conducts)
        roles: dict[str, Role] = {item.system: item.role for item in test.items}
        chosen = Beforehand(plan.seed, plan.margin, plan.scale_points)
        admission = Admission(plan.screening or UNPLANNED, counted, conducts)
        return kept(
            self._folder.known_findings,
            (test.id, len(votes), tuple(sorted(counted.items()))),
            lambda: findings_of(plan.method, votes, _labels_of(test), roles, chosen=chosen, admission=admission),
        )

    def tastes(self, method: Method, earlier: Sequence[ListeningTest]) -> Tastes:
        """Of closed tests of the method; what is damaged tells nothing."""
        key = tuple((test.id, test.n_done, tuple(sorted(self._store.counted(test.id).items()))) for test in earlier)

        def found() -> list[Findings]:
            told = []
            for test in earlier:
                with suppress(TestDamaged):
                    self._folder.sounds.check(test)
                    told.append(self.findings(test))
            return told

        return kept(self._folder.known_tastes, (method, key), lambda: tastes_of(method, found()))

    def _votes(self, test: ListeningTest, conducts: Mapping[str, Conduct]) -> tuple[Vote, ...]:
        votes: list[Vote] = []
        for session, answers in self._sessions.all(test.id):
            who = {"listener": session.listener, "experimenter": session.is_experimenter}
            early = conducts[session.listener].early if session.listener in conducts else {}  # who came after they were looked at
            own = votes_of(plan=test.plan, items=test.items, trials=session.trials, answers=answers, **who)
            votes += [replace(vote, early_seconds=round(early.get(vote.trial, 0.0), 3)) for vote in own]
        return tuple(votes)


def _labels_of(test: ListeningTest) -> dict[str, str]:
    """What results call the systems; anything else is called by its role."""
    labels = {item.system: item.system for item in test.items}
    return labels | {system.id: label_of(test.plan, "system", system.id) for system in test.plan.systems}
