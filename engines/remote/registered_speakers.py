"""RegisteredSpeakers: recordings at the servers, under names of their own. Each is put there once, and taken back whatever happens."""

import asyncio
import hashlib
import logging
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from engines.contract.prompt import SpeakerPrompt
from engines.remote.ledger import LedgerRecord, SpeakerLedger
from engines.remote.member import FleetMember, Unanswered
from engines.remote.refusals import Refusals
from engines.remote.wire import ServerRefusal, SpeechWire, refusal_of, said_in

__all__ = ["RECORDING", "FarSpeaker", "RegisteredSpeakers"]

RECORDING = "recording"  # the tensor of a prompt that is a WAV file
_OF_THE_REQUEST = (400, 404, 422)
_GONE = (200, 202, 204, 404, 410)  # of a deletion

log = logging.getLogger("engines.remote")


@dataclass(frozen=True)
class FarSpeaker:
    """name: by which it is registered: a digest of recording and words, so that nobody else's can be meant. words: "" where none count."""

    name: str
    source: str
    content: str
    recording: bytes = field(repr=False)
    words: str = field(repr=False)

    @classmethod
    def of(cls, prompt: SpeakerPrompt) -> "FarSpeaker":
        words = " ".join(prompt.transcript.text.split()) if prompt.transcript else ""
        digest = hashlib.sha256(f"{prompt.content_digest}\n{words}".encode()).hexdigest()
        recording = prompt.tensors[RECORDING].tobytes()
        return cls(f"studio-{digest[:32]}", prompt.source_digest, prompt.content_digest, recording, words)


class RegisteredSpeakers:
    """Lives on the loop of the members, and does its writing beside it.

    A deletion that did not arrive is a debt: it is written down, delivered before anything else is said to that server, and tried in the
    background until it arrives, also after a restart, and at servers that the fleet has no longer.
    """

    def __init__(self, ledger: SpeakerLedger, members: Sequence[FleetMember], wire: SpeechWire, refusals: Refusals, seconds: float):
        """members: of the fleet. seconds: in which a server answers."""
        self._ledger, self._members, self._wire, self._refusals, self._seconds = ledger, members, wire, refusals, seconds
        self._flights: dict[tuple[str, str], tuple[asyncio.Lock, list[None]]] = {}  # with an item for each who is in it or waits
        self._debts: defaultdict[str, set[str]] = defaultdict(set)  # base address -> names
        self._spoken: Counter[str] = Counter()
        self._used_at: dict[str, float] = {}
        self._n_forgotten: Counter[str] = Counter()  # of those that are spoken
        self._tasks: set[asyncio.Task[object]] = set()
        self.on_debt: Callable[[str], None] = lambda address: None

    async def load(self, listed: dict[str, frozenset[str]]) -> None:
        """Begin with what is written down. listed: base address -> what is registered there, of servers that said it."""
        records = await asyncio.to_thread(self._ledger.records)
        for member in self._members:
            known = {record.name for record in records if record.states.get(member.address) == "here"}
            member.known = known & listed.get(member.address, frozenset())
        self._note_debts({record.name: _owing(record) for record in records})

    def owes(self, address: str) -> bool:
        return bool(self._debts.get(address))

    @contextmanager
    def spoken(self, speaker: FarSpeaker) -> Iterator[None]:
        """While it is spoken. Where it was forgotten meanwhile, it may have been registered behind that: it is taken back once more."""
        name = speaker.name
        before = self._n_forgotten[name]
        self._spoken[name] += 1
        self._used_at[name] = time.time()
        try:
            yield
        finally:
            if self._n_forgotten[name] != before:
                self._begin(self.owe(lambda record: record.name == name))
            self._spoken[name] -= 1
            if not self._spoken[name]:
                del self._spoken[name], self._n_forgotten[name]

    async def register(self, member: FleetMember, speaker: FarSpeaker) -> None:
        """See to it that the server knows the speaker; it is given it once, whoever asks. Raises Unanswered, CallerMistake."""
        await self.settle(member)
        async with self._flight(member.address, speaker.name):
            if speaker.name in member.known:
                return
            if not member.takes_clips:
                raise Unanswered("takes no recordings", error=self._refusals.no_clips())
            self._debts[member.address].discard(speaker.name)
            await asyncio.to_thread(self._ledger.ask, speaker.name, speaker.source, speaker.content, member.address)
            await self._put(member, speaker)
            if await asyncio.to_thread(self._ledger.arrived, speaker.name, member.address):
                member.known.add(speaker.name)

    async def is_lost(self, member: FleetMember, speaker: FarSpeaker, refusal: ServerRefusal) -> bool:
        """Whether a server refused to speak because it forgot the speaker; then it is given it again. Raises Unanswered.

        Not all say so: Qwen3-TTS refuses a name that it does not know as a kind of speaker that it does not have. So the list is looked at.
        """
        if refusal.status not in _OF_THE_REQUEST:
            return False
        if refusal.concern != "speaker":
            response = await member.ask("GET", self._wire.speakers_path, self._seconds)
            listed = said_in(response) if response.is_success else None
            if listed is None or speaker.name in map(str.casefold, self._wire.registered(listed)):
                return False
        member.known.discard(speaker.name)
        return True

    async def settle(self, member: FleetMember) -> None:
        """Deliver the deletions that are owed to a server, before anything else is said to it. Raises Unanswered where it does not answer.

        One that it refuses stays owed, and keeps nobody from speaking.
        """
        for name in tuple(self._debts.get(member.address, ())):
            await self._settle_one(member, name)

    async def owe(self, concerns: Callable[[LedgerRecord], bool]) -> set[str]:
        """Write down that all records which it concerns are to be deleted, wherever they may be. Gives the base addresses."""
        records = await asyncio.to_thread(self._ledger.records)
        names = [record.name for record in records if concerns(record)]
        owed = await asyncio.to_thread(self._ledger.owe, names)
        self._n_forgotten.update(name for name in names if name in self._spoken)
        for name in names:
            self._used_at.pop(name, None)
        for member in self._members:
            member.known.difference_update(names)
        self._note_debts(owed)
        return {address for addresses in owed.values() for address in addresses}

    def _begin(self, work: Coroutine[object, object, object]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @asynccontextmanager
    async def _flight(self, address: str, name: str) -> AsyncIterator[None]:
        """One at a time is at work on a speaker at a server."""
        lock, inside = self._flights.setdefault((address, name), (asyncio.Lock(), []))
        inside.append(None)
        try:
            async with lock:
                yield
        finally:
            inside.pop()
            if not inside:
                del self._flights[address, name]

    def _note_debts(self, owed: dict[str, frozenset[str]]) -> None:
        for name, addresses in owed.items():
            for address in addresses:
                self._debts[address].add(name)
                self.on_debt(address)

    async def _settle_one(self, member: FleetMember, name: str) -> None:
        async with self._flight(member.address, name):
            if name not in self._debts[member.address]:
                return
            if await self._deleted(member, name):
                await asyncio.to_thread(self._ledger.gone, name, member.address)
                self._debts[member.address].discard(name)
            else:
                log.info("a deletion is still owed to the speech server %s, which refused it", member.address)

    async def _deleted(self, member: FleetMember, name: str) -> bool:
        response = await member.ask("DELETE", self._wire.speaker_path(name), self._seconds)
        return response.status_code in _GONE

    async def _put(self, member: FleetMember, speaker: FarSpeaker) -> None:
        """Upload; where its places are all taken, once more in the place of the one of ours that was not used for longest."""
        for has_made_room in (False, True):
            content = self._wire.registration(speaker.name, speaker.recording, speaker.words)
            response = await member.ask("POST", self._wire.speakers_path, self._seconds, **content)
            if response.is_success:
                return
            refusal = refusal_of(response, self._refusals.secret)
            if refusal.concern == "known":  # names are digests, so it is the same recording
                return
            if refusal.concern == "full" and not has_made_room and await self._make_room(member, speaker.name):
                continue
            if response.status_code < 500 and response.status_code != 429:
                await asyncio.to_thread(self._ledger.absent, speaker.name, member.address)
            if refusal.concern == "absent" or response.status_code in (409, 501):
                member.takes_clips = False
                raise Unanswered("takes no recordings", error=self._refusals.no_clips())
            raise self._refusals.of(refusal)

    async def _make_room(self, member: FleetMember, wanted: str) -> bool:
        """Whether there was one of ours that nobody speaks now."""
        records = await asyncio.to_thread(self._ledger.records)
        ours = [record for record in records if record.states.get(member.address) == "here" and record.name not in self._spoken]
        ours = [record for record in ours if record.name != wanted]
        if not ours:
            return False
        oldest = min(ours, key=lambda record: max(record.written_at, self._used_at.get(record.name, 0.0))).name
        member.known.discard(oldest)
        if await self._deleted(member, oldest):
            await asyncio.to_thread(self._ledger.absent, oldest, member.address)
            return True
        return False


def _owing(record: LedgerRecord) -> frozenset[str]:
    return frozenset(address for address, state in record.states.items() if state == "owed")
