"""BlindPairs: makes blind pairs, hands out their sounds by slot, takes votes and tells names and standings. Doors hold it.

The server alone knows what is in a slot: a vote says the pair and the slot, and what that was is told once the vote is on disk.

Where the arena is open (STUDIO_ARENA), the votes of all visitors lie together, in everybody's file, each with a digest of its voter: of a
visitor's workspace, or, where visitors share one, of a random id that their browser made. Nobody votes twice on a text by the same two.
"""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from io import BytesIO
from itertools import combinations
from typing import Protocol

import soundfile

from engines.contract.contract import EngineInfo
from engines.contract.speech_end import ENDED
from studio.errors import PairOwnerUnknown, PairUnknown, PairUnusable
from studio.listening.pairs.arena import least_known
from studio.listening.pairs.heard_system import HeardSystem
from studio.listening.pairs.open_pairs import SLOTS, BlindPair, OpenPairs, Side
from studio.listening.pairs.pair_votes import PairVote, PairVotes
from studio.listening.pairs.standings import Standings, arena_standings, workspace_standings
from studio.prompts.status import incompatibility_of
from studio.running.lifecycle import EngineStatus
from studio.running.offer.weights import Weights
from studio.settings import Settings
from studio.speakers.speaker import Speaker
from studio.speech.history import History
from studio.speech.kept.entry import HistoryEntry
from studio.storage.workspace_file import WorkspaceFiles
from studio.web.access import folder_secret
from studio.workspace import EVERYBODY, NOBODY

__all__ = ["BlindPairs", "PairStudio"]

SECRET_FILE = "voters.secret"  # beside the votes; without it nobody can tell whose a vote is
DIGEST_CHARACTERS = 32
SPEAKING = ("ready", "idle")  # states of engines that speak when they are asked


class PairStudio(Protocol):
    """studio.service.Studio, as one workspace sees it."""

    workspace: str
    settings: Settings
    history: History
    weights: Weights

    def engines(self) -> tuple[EngineStatus, ...]: ...

    def speaker(self, name: str) -> Speaker: ...

    def speakers(self) -> tuple[Speaker, ...]: ...

    def engine_info(self, engine: str | None = None) -> EngineInfo: ...

    def check_owner(self, of: str = EVERYBODY) -> None: ...


class BlindPairs:
    """Every method may be called from any thread, and blocks until it is done. Pairs and votes are those of the studio's workspace, in an
    open arena those of the voter.

    open_pairs, votes: of all workspaces. browser: what a browser calls itself, "" where it says nothing. Beside what they say, all raise
    OSError.
    """

    def __init__(self, open_pairs: OpenPairs, votes: WorkspaceFiles[tuple[PairVote, ...]], studio: PairStudio, browser: str = ""):
        self._open, self._files, self._studio = open_pairs, votes, studio
        self._is_arena = studio.settings.arena == "open"
        who = studio.workspace or (browser and f"browser:{browser}")
        self._voter = self._digest(who) if who and self._is_arena else ""
        self._place = self._voter or studio.workspace  # of pairs that wait for a vote
        self._votes = PairVotes(votes, EVERYBODY, self._voter) if self._is_arena else PairVotes(votes, studio.workspace)

    def of_browser(self, browser: str) -> "BlindPairs":
        """The same as that browser sees them, which counts where visitors share a workspace and the arena is open."""
        return BlindPairs(self._open, self._files, self._studio, browser)

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
        return self.of_sides([_side_of(self._owned(), entry) for entry in (first, second)], first.text)

    def of_sides(self, sides: Sequence[Side], text: str) -> BlindPair:
        """Of two sounds of one text. Raises PairUnusable, PairOwnerUnknown."""
        self._owned()
        first, second = sides
        if first.generation_id != second.generation_id:
            raise PairUnusable("voice", sentence="pair_of_two_voices")
        asked = self._asked(text, first.generation_id, frozenset(side.system for side in sides))
        if asked and asked in self._passed():
            raise PairUnusable("input", sentence="pair_heard_before")
        return self._open.add(self._place, sides, asked)

    def next_engines(self, text: str, name: str | None) -> list[str]:
        """The two whose pair is least known, in an order of chance, with nothing changed. name: of a stored voice; None: each engine's own.

        Raises PairUnusable, PairOwnerUnknown, SpeakerUnknown.
        """
        speaker = None if name is None else self._owned().speaker(name)
        lacks = self._owned().weights.are_lacking
        infos = [status.info for status in self._studio.engines() if status.state in SPEAKING and not lacks(status.info.id)]
        if speaker is None:
            able = [info for info in infos if info.default_preset is not None]
        else:
            able = [info for info in infos if incompatibility_of(speaker, info) is None]
        systems = {HeardSystem.of(info, {}, speaker=name, is_stored=speaker is not None): info.id for info in able}
        if len(systems) < len(SLOTS):
            raise PairUnusable("model", sentence="pair_of_one_engine")
        passed, generation_id = self._passed(), speaker.generation_id if speaker else None
        pairs = map(frozenset, combinations(systems, 2))
        heard = {two for two in pairs if self._asked(text, generation_id, two) in passed}
        if (two := least_known(tuple(systems), self.votes(), heard, secrets.randbelow)) is None:
            raise PairUnusable("input", sentence="pair_none_left")
        return [systems[system] for system in two]

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
            self._votes.add(PairVote(pair.id, self._votes.clock(), a, b, choice, self._voter, pair.asked))
        except OSError:
            self._open.give_vote_back(pair)
            raise
        return pair

    def undo_vote(self, pair_id: str) -> None:
        """Its names are known by now, so that it takes no other vote. Raises PairUnknown, UndoTooLate, PairOwnerUnknown."""
        self._owned()
        self._votes.undo(pair_id)
        self._open.drop(self._place, pair_id)

    # --- all votes

    def votes(self) -> tuple[PairVote, ...]:
        """Oldest first; in an open arena those of all voters."""
        return self._votes.read()

    def standings(self) -> Standings:
        return arena_standings(self.votes()) if self._is_arena else workspace_standings(self.votes())

    def clear(self) -> int:
        """Delete all votes of the workspace, in an open arena the voter's own, for good. Returns how many there were.

        Raises PairOwnerUnknown.
        """
        self._owned()
        return self._votes.clear()

    # --- private

    def _owned(self) -> PairStudio:
        """The studio whose pairs these are. Raises PairOwnerUnknown; OwnerOnly for everybody's, on a Space whose visitors share it without
        an open arena."""
        if self._studio.workspace == NOBODY:
            raise PairOwnerUnknown
        if not self._voter:
            self._studio.check_owner(self._studio.workspace)
        return self._studio

    def _passed(self) -> set[str]:
        """What the voter of an open arena is not asked again."""
        return {vote.asked for vote in self._votes.own()} - {""}

    def _asked(self, text: str, generation_id: str | None, systems: frozenset[HeardSystem]) -> str:
        """What was asked, whatever the order and the variations; "" where it may be asked again."""
        if not self._voter:
            return ""
        return self._digest("\0".join([text, generation_id or "", *sorted(map(repr, systems))]))

    def _digest(self, what: str) -> str:
        """That nobody can try out who does not have the folder."""
        secret = folder_secret(self._files.directory, SECRET_FILE)
        return hmac.digest(secret, what.encode("utf-8", "surrogatepass"), hashlib.sha256).hex()[:DIGEST_CHARACTERS]

    def _pair(self, pair_id: str) -> BlindPair:
        """Nobody hears a voice that was deleted meanwhile. Raises PairUnknown."""
        pair = self._open.get(self._place, pair_id)
        if pair.generation_ids - {speaker.generation_id for speaker in self._studio.speakers()}:
            self._open.drop(self._place, pair_id)
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
