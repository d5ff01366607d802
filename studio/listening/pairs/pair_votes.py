"""PairVotes: the votes of a workspace on blind pairs, or of an open arena, on disk. They name engines and settings, and no text, voice or
person."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from studio.errors import PairOwnerUnknown, PairUnknown, PairVoted, UndoTooLate
from studio.listening.pairs.heard_system import HeardSystem
from studio.storage.undo_window import KEPT_SECONDS
from studio.storage.workspace_file import FileForm, WorkspaceFile, WorkspaceFiles
from studio.workspace import NOBODY

__all__ = ["MOST_VOTES", "SCORES", "PairVote", "PairVotes", "vote_files"]

MOST_VOTES = 5000  # of a workspace; the oldest go
MOST_ARENA_VOTES = 20_000  # some 7 MB, which each vote writes anew
SCORES = {"a": 1.0, "b": 0.0, "equal": 0.5}  # choice -> what slot A won


@dataclass(frozen=True)
class PairVote:
    """id: of the pair. at: seconds since 1970. a, b: what was heard in either slot. choice: of SCORES.

    voter: in an open arena a digest of who voted, "" of the workspace. asked: a digest of the text, its voice and the two systems, "" where
    they may be asked about again.
    """

    id: str
    at: float
    a: HeardSystem
    b: HeardSystem
    choice: str
    voter: str = ""
    asked: str = ""

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Self:
        """What `plain` gave. Raises ValueError, KeyError, TypeError, AttributeError."""
        choice, at, a, b = (plain[name] for name in ("choice", "at", "a", "b"))
        if choice not in SCORES:
            raise ValueError("no choice")
        more = (str(plain.get(name, "")) for name in ("voter", "asked"))
        return cls(str(plain["id"]), float(at), HeardSystem.read(a), HeardSystem.read(b), choice, *more)

    def told(self) -> dict[str, object]:
        """As it is exported, without the digest of the text."""
        vote: dict[str, object] = {"id": self.id, "at": self.at, "a": self.a.plain(), "b": self.b.plain(), "choice": self.choice}
        return vote | ({"voter": self.voter} if self.voter else {})

    def plain(self) -> dict[str, object]:
        """As JSON has it."""
        return self.told() | ({"asked": self.asked} if self.asked else {})


def _read_all(plain: Any) -> tuple[PairVote, ...]:
    try:
        return tuple(map(PairVote.read, plain))
    except KeyError as error:
        raise ValueError(f"no {error}") from error


_FORM = FileForm[tuple[PairVote, ...]](".votes", (), plain=lambda votes: [vote.plain() for vote in votes], read=_read_all)


def vote_files(directory: Path, clock: Callable[[], float] = time.time) -> WorkspaceFiles[tuple[PairVote, ...]]:
    """Of all workspaces. directory: made when the first is kept. clock: seconds since 1970."""
    return WorkspaceFiles(directory, _FORM, clock)


class PairVotes:
    """Thread-safe, oldest first. NOBODY has none.

    voter: who votes in an open arena, and takes back and deletes only what is theirs; None where all votes are the workspace's.
    """

    def __init__(self, files: WorkspaceFiles[tuple[PairVote, ...]], workspace: str, voter: str | None = None):
        self._file = WorkspaceFile(files, workspace)
        self._voter = voter
        self.clock = files.clock

    def read(self) -> tuple[PairVote, ...]:
        """Raises OSError."""
        return self._file.read()

    def own(self) -> tuple[PairVote, ...]:
        """Those that whoever asks may take back. Raises OSError."""
        return tuple(vote for vote in self.read() if self._is_own(vote))

    def add(self, vote: PairVote) -> None:
        """On disk when it returns. Raises PairVoted, PairOwnerUnknown, OSError."""
        self._check_owner()
        most = MOST_VOTES if self._voter is None else MOST_ARENA_VOTES

        def added(votes: tuple[PairVote, ...]) -> tuple[PairVote, ...]:
            asked = {other.asked for other in votes if other.voter == vote.voter} - {""}
            if vote.asked in asked or any(vote.id == other.id for other in votes):
                raise PairVoted
            return (*votes, vote)[-most:]

        self._file.change(added)

    def undo(self, pair_id: str) -> None:
        """Take a vote back, within KEPT_SECONDS. Raises PairUnknown, UndoTooLate, PairOwnerUnknown, OSError."""
        self._check_owner()

        def without(votes: tuple[PairVote, ...]) -> tuple[PairVote, ...]:
            vote = next((vote for vote in votes if vote.id == pair_id and self._is_own(vote)), None)
            if vote is None:
                raise PairUnknown
            if self.clock() - vote.at > KEPT_SECONDS:
                raise UndoTooLate(sentence="vote_undo_too_late", seconds=KEPT_SECONDS)
            return tuple(other for other in votes if other is not vote)

        self._file.change(without)

    def clear(self) -> int:
        """Returns how many there were. Raises PairOwnerUnknown, OSError."""
        self._check_owner()
        n_votes: list[int] = []

        def without(votes: tuple[PairVote, ...]) -> tuple[PairVote, ...]:
            kept = tuple(vote for vote in votes if not self._is_own(vote))
            n_votes.append(len(votes) - len(kept))
            return kept

        self._file.change(without)
        return n_votes[0]

    def _is_own(self, vote: PairVote) -> bool:
        return self._voter is None or vote.voter == self._voter

    def _check_owner(self) -> None:
        if self._file.workspace == NOBODY:
            raise PairOwnerUnknown
