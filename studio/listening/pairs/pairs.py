"""BlindPairs: makes blind pairs, hands out their sounds by slot, takes votes and tells names and standings. Doors hold it.

The server alone knows what is in a slot: a vote says the pair and the slot, and what that was is told once the vote is on disk.
"""

from collections.abc import Sequence
from io import BytesIO
from typing import Protocol

import soundfile

from engines.contract.contract import ENDED, EngineInfo
from studio.errors import PairOwnerUnknown, PairUnknown, PairUnusable
from studio.listening.pairs.heard_system import HeardSystem
from studio.listening.pairs.open_pairs import SLOTS, BlindPair, OpenPairs, Side
from studio.listening.pairs.pair_votes import PairVote, PairVotes
from studio.listening.pairs.standings import Standings, standings_of
from studio.speakers.speaker import Speaker
from studio.speech.history import History
from studio.speech.kept.entry import HistoryEntry
from studio.storage.workspace_file import WorkspaceFiles
from studio.workspace import EVERYBODY, NOBODY

__all__ = ["BlindPairs", "PairStudio"]


class PairStudio(Protocol):
    """studio.service.Studio, as one workspace sees it."""

    workspace: str
    history: History

    def speakers(self) -> tuple[Speaker, ...]: ...

    def engine_info(self, engine: str | None = None) -> EngineInfo: ...

    def check_owner(self, of: str = EVERYBODY) -> None: ...


class BlindPairs:
    """Every method may be called from any thread, and blocks until it is done. Pairs and votes are those of the studio's workspace.

    open_pairs, votes: of all workspaces. Beside what they say, all raise OSError.
    """

    def __init__(self, open_pairs: OpenPairs, votes: WorkspaceFiles[tuple[PairVote, ...]], studio: PairStudio):
        self._open = open_pairs
        self._votes = PairVotes(votes, studio.workspace)
        self._studio = studio

    # --- a pair

    def of_takes(self, takes: Sequence[str]) -> BlindPair:
        """Of two entries of the history that say the same text. Raises EntryUnknown, PairUnusable, PairOwnerUnknown."""
        history = self._owned().history
        first, second = (history.entry(take) for take in takes)
        if first.id == second.id:
            raise PairUnusable("takes", sentence="pair_of_one_take")
        if first.text != second.text or not (first.text and second.text):
            raise PairUnusable("takes", sentence="pair_of_two_texts")
        if any(entry.ended != ENDED.reason for entry in (first, second)):
            raise PairUnusable("takes", sentence="pair_broken_off")
        return self.of_sides([_side_of(self._owned(), entry) for entry in (first, second)])

    def of_sides(self, sides: Sequence[Side]) -> BlindPair:
        """Of two sounds of one text. Raises PairUnusable, PairOwnerUnknown."""
        workspace = self._owned().workspace
        first, second = sides
        if first.generation_id != second.generation_id:
            raise PairUnusable("voice", sentence="pair_of_two_voices")
        return self._open.add(workspace, sides)

    def sound(self, pair_id: str, slot: str) -> bytes:
        """A whole WAV. Raises PairUnknown."""
        return self._open.sound(self._pair(pair_id), slot)

    def vote(self, pair_id: str, choice: str) -> BlindPair:
        """choice: of SCORES. What was in either slot may be told from now on.

        Raises PairUnknown, PairUnheard, PairVoted, PairOwnerUnknown.
        """
        self._owned()
        pair = self._pair(pair_id)
        self._open.take_vote(pair)
        a, b = (pair.sides[slot].system for slot in SLOTS)
        try:
            self._votes.add(PairVote(pair.id, self._votes.clock(), a, b, choice))
        except OSError:
            self._open.give_vote_back(pair)
            raise
        return pair

    def undo_vote(self, pair_id: str) -> None:
        """Its names are known by now, so that it takes no other vote. Raises PairUnknown, UndoTooLate, PairOwnerUnknown."""
        workspace = self._owned().workspace
        self._votes.undo(pair_id)
        self._open.drop(workspace, pair_id)

    # --- all votes

    def votes(self) -> tuple[PairVote, ...]:
        """Oldest first."""
        return self._votes.read()

    def standings(self) -> Standings:
        return standings_of(self.votes())

    def clear(self) -> int:
        """Delete all votes for good. Returns how many there were. Raises PairOwnerUnknown."""
        self._owned()
        return self._votes.clear()

    # --- private

    def _owned(self) -> PairStudio:
        """The studio whose pairs these are. Raises PairOwnerUnknown; OwnerOnly for everybody's, on a Space whose visitors share it."""
        if self._studio.workspace == NOBODY:
            raise PairOwnerUnknown
        self._studio.check_owner(self._studio.workspace)
        return self._studio

    def _pair(self, pair_id: str) -> BlindPair:
        """Nobody hears a voice that was deleted meanwhile. Raises PairUnknown."""
        pair = self._open.get(self._studio.workspace, pair_id)
        if pair.generation_ids - {speaker.generation_id for speaker in self._studio.speakers()}:
            self._open.drop(self._studio.workspace, pair_id)
            raise PairUnknown
        return pair


def _side_of(studio: PairStudio, entry: HistoryEntry) -> Side:
    samples, sample_rate = soundfile.read(BytesIO(studio.history.audio(entry.id)), dtype="float32")
    info = studio.engine_info(entry.engine)
    system = HeardSystem.of(info, entry.options, speaker=entry.speaker, is_stored=entry.generation_id is not None)
    return Side(system, samples, sample_rate, entry.generation_id, _seed_of(entry.options))


def _seed_of(options: dict[str, object]) -> int | None:
    seed = options.get("seed")
    return seed if isinstance(seed, int) else None
