"""SpeakerCache: all speaker prompts in memory, for all engines. There is one per process.

Bound: bytes of tensor storage and number of entries; anonymous entries go first, then the least recently used. Pinned entries never go,
so they are bounded themselves: what is not pinned keeps its share.
Key: PromptKey, by content, never by name. Forgetting: `forget(generation)` removes an owner everywhere at once, and beats an
extraction in flight. Nothing here knows disk or engines: the caller hands in what reads and what extracts.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import cast

from engines.contract.prompt import SpeakerPrompt
from studio.errors import PinsFull
from studio.prompt_key import PromptKey
from studio.prompts.stats import COUNTERS, CacheStats, EngineCacheStats
from studio.speakers.registry import LiveGenerations
from studio.speakers.speaker import Generation
from studio.timeline import CacheOutcome
from studio.workspace import EVERYBODY, NOBODY

__all__ = ["CacheResult", "CachedPrompt", "PromptInFlight", "SpeakerCache"]

ALL = "*"  # every workspace together
MOST_ASKERS = 1024  # workspaces whose lookups are counted apart; whoever came longest ago begins anew
# Of bytes and of entries: with everything pinned, every other speaker would be extracted again for each request.
MOST_PINNED_SHARE = 0.75


@dataclass(frozen=True)
class CacheResult:
    """A prompt, and how it was come by: hit (memory), joined (another caller's work), disk, or miss (extracted now).

    adopted: this call made the given owner an owner of the prompt, so that it is worth keeping on disk for it.
    """

    prompt: SpeakerPrompt
    outcome: CacheOutcome
    adopted: bool


@dataclass(frozen=True)
class KnownPrompt:
    """A prompt that the cache has or will have. owners: generations that it is kept for; none where it came from inline audio."""

    key: PromptKey
    owners: frozenset[Generation]

    def concerns(self, generation_id: str, current: PromptKey | None) -> bool:
        """Whether that speaker owns it, or would use it: current is the key of what the engine would learn of it now, None if not known."""
        return self.key == current or any(owner.id == generation_id for owner in self.owners)  # ids, since a rename keeps them


@dataclass(frozen=True)
class CachedPrompt(KnownPrompt):
    """One entry. n_hits: lookups that found it, since it came into memory."""

    n_bytes: int
    n_hits: int
    pinned: bool


@dataclass(frozen=True)
class PromptInFlight(KnownPrompt):
    """A prompt that is on its way. learning: the engine is at work on it; before, it waits for its turn or is read from disk."""

    learning: bool


@dataclass(eq=False)
class _Entry:
    prompt: SpeakerPrompt
    owners: set[Generation]
    n_hits: int = 0
    pinned: bool = False


@dataclass(eq=False)
class _Flight:
    """One computation that everyone who wants its key waits for, with the owners to be."""

    owners: set[Generation]
    anonymous: bool
    learning: bool = False
    result: Future = field(default_factory=Future)


class SpeakerCache:
    """Single flight, owned, bounded. All methods may be called from any thread.

    live_generations: those that may own entries; asked when an ownership begins, and again at the moment of storing.
    """

    def __init__(self, live_generations: LiveGenerations, *, max_bytes: int, max_entries: int):
        self.max_bytes = max_bytes
        self.max_entries = max_entries
        self._live_generations = live_generations
        self._listeners: tuple[Callable[[PromptKey, SpeakerPrompt], None], ...] = ()
        self._lock = threading.Lock()
        self._entries: OrderedDict[PromptKey, _Entry] = OrderedDict()  # least recently used first
        self._flights: dict[PromptKey, _Flight] = {}
        self._bytes = 0
        self._version = 0
        self._counts: OrderedDict[str, dict[str, Counter]] = OrderedDict({ALL: {}})  # by workspace and engine; ALL are the sums

    def when_dropped(self, listener: Callable[[PromptKey, SpeakerPrompt], None]) -> None:
        """Tell `listener` of prompts that have left memory (evicted, forgotten, dropped, replaced), outside the lock."""
        self._listeners = (*self._listeners, listener)

    @property
    def version(self) -> int:
        """Moves with every change of entries, counts and flights, so that whoever shows them knows when to look again."""
        return self._version

    # --- owners

    def forget(self, owner: Generation) -> None:
        """End an ownership for all engines at once: entries left without owners go, and no extraction in flight is stored for it."""
        with self._lock:
            for flight in self._flights.values():
                flight.owners.discard(owner)
            orphaned = [key for key, entry in self._entries.items() if entry.owners == {owner}]
            for entry in self._entries.values():
                entry.owners.discard(owner)
            dropped = [(key, self._remove(key)) for key in orphaned]
            self._version += 1
        self._tell_dropped(dropped)

    def hand_over(self, owner: Generation, heir: Generation) -> None:
        """What one owner has, the other has from now on: a speaker was renamed, its recording stayed."""
        with self._lock:
            for holder in (*self._flights.values(), *self._entries.values()):
                if owner in holder.owners:
                    holder.owners.discard(owner)
                    holder.owners.add(heir)
            self._version += 1

    # --- prompts

    def get_or_extract(
        self,
        key: PromptKey,
        extract: Callable[[], SpeakerPrompt],
        *,
        owner: Generation | None = None,
        read: Callable[[], SpeakerPrompt | None] | None = None,
        asker: str = EVERYBODY,
        waits: bool = True,
    ) -> CacheResult:
        """The prompt of `key`: from memory, else from `read` (disk), else from `extract`. Blocks while another caller computes it.

        owner: None for inline audio; a generation that is not live is served and not stored. asker: the workspace that counts it, but
        NOBODY, which does not. waits: whether a listener waits for it; a lookup ahead of speech is no hit and no miss.
        What `read` or `extract` raises reaches every caller who waits, and is not remembered.
        """
        with self._lock:
            self._version += 1
            entry = self._entries.get(key)
            if entry is not None:
                self._entries.move_to_end(key)
                self._count(key.engine, asker, "hits", waits)
                entry.n_hits += waits
                return CacheResult(entry.prompt, "hit", self._own(entry.owners, owner))
            joined = self._flights.get(key)
            flight = self._flights.setdefault(key, joined or _Flight(set(), owner is None))
            adopted = self._own(flight.owners, owner)
            if joined is not None:
                joined.anonymous |= owner is None
                self._count(key.engine, asker, "joined", waits)
        if joined is not None:
            return CacheResult(joined.result.result(), "joined", adopted)
        return self._fly(key, flight, (read, extract), asker, waits)

    def replace(self, key: PromptKey, old: SpeakerPrompt, better: SpeakerPrompt) -> frozenset[Generation] | None:
        """Put a better prompt into the place of `old`; owners, pin and hits stay. The owners; None where `old` is not there any more."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or entry.prompt is not old:
                return None
            entry.prompt = better
            self._bytes += better.storage_bytes - old.storage_bytes
            dropped = self._make_room(spare=key)
            owners = frozenset(entry.owners)
            self._version += 1
        self._tell_dropped(dropped if better.content_digest == old.content_digest else [*dropped, (key, old)])
        return owners

    def peek(self, key: PromptKey) -> SpeakerPrompt | None:
        """What is in memory under that key. Counts as no use of it."""
        with self._lock:
            return self._entries[key].prompt if key in self._entries else None

    def contains(self, key: PromptKey, prompt: SpeakerPrompt | None = None) -> bool:
        """Whether something is in memory under that key, or this very prompt, in whatever words. Counts as no use of it."""
        kept = self.peek(key)
        return kept is not None and (prompt is None or kept.content_digest == prompt.content_digest)

    def in_flight(self, key: PromptKey) -> bool:
        with self._lock:
            return key in self._flights

    def drop(self, key: PromptKey) -> bool:
        """Take one prompt out of memory, whoever owns it. Returns whether it was there. Not counted as an eviction."""
        with self._lock:
            dropped = [(key, self._remove(key))] if key in self._entries else []
            self._version += 1
        self._tell_dropped(dropped)
        return bool(dropped)

    def pin(self, key: PromptKey) -> bool:
        """Keep an entry until it is unpinned, dropped or forgotten; whether it is there. Raises PinsFull."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return False
            if not entry.pinned:
                self._check_room_for_pin(key, entry)
            entry.pinned = True
            self._version += 1
            return True

    def unpin(self, key: PromptKey) -> bool:
        """Let an entry be evicted again; whether it is there."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None:
                entry.pinned = False
                self._version += 1
            return entry is not None

    def learning(self, key: PromptKey) -> None:
        """Said by the engine's thread when it begins to extract."""
        with self._lock:
            if key in self._flights:
                self._flights[key].learning = True
                self._version += 1

    def look(self) -> tuple[tuple[CachedPrompt, ...], tuple[PromptInFlight, ...]]:
        """What is in memory and what is on its way, at one moment. Counts as no use."""
        with self._lock:
            entries = [
                CachedPrompt(key, frozenset(entry.owners), entry.prompt.storage_bytes, entry.n_hits, entry.pinned)
                for key, entry in self._entries.items()
            ]
            flights = [PromptInFlight(key, frozenset(flight.owners), flight.learning) for key, flight in self._flights.items()]
        return tuple(entries), tuple(flights)

    def engines_of(self, owner: Generation) -> dict[str, int]:
        """Bytes in memory that this generation owns, per engine."""
        with self._lock:
            held: Counter = Counter()
            for key, entry in self._entries.items():
                if owner in entry.owners:
                    held[key.engine] += entry.prompt.storage_bytes
            return dict(held)

    def engines_in_flight(self, owner: Generation) -> tuple[str, ...]:
        """The engines that are learning this generation now."""
        with self._lock:
            return tuple(key.engine for key, flight in self._flights.items() if owner in flight.owners)

    def stats(self, workspace: str = ALL) -> CacheStats:
        """One consistent snapshot; of one workspace: the entries that it may use, and its own lookups."""
        with self._lock:
            seen = (workspace, EVERYBODY)
            shown = {key: entry for key, entry in self._entries.items() if workspace == ALL or key.scope in seen}
            entries, n_bytes = Counter(key.engine for key in shown), Counter()
            for key, entry in shown.items():
                n_bytes[key.engine] += entry.prompt.storage_bytes
            pinned = [entry.prompt.storage_bytes for entry in shown.values() if entry.pinned]
            flights = Counter(key.engine for key in self._flights if workspace == ALL or key.scope in seen)
            counts = self._counts.get(workspace, {})
            engines = {
                name: EngineCacheStats(
                    entries=entries[name],
                    memory_bytes=n_bytes[name],
                    in_flight=flights[name],
                    **{counter: count[counter] for counter in COUNTERS},
                )
                for name, count in sorted(({name: Counter() for name in entries} | counts).items())
            }
            return CacheStats(
                entries=len(shown),
                memory_bytes=n_bytes.total(),
                max_bytes=self.max_bytes,
                max_entries=self.max_entries,
                pinned=len(pinned),
                pinned_bytes=sum(pinned),
                **{counter: sum(count[counter] for count in counts.values()) for counter in COUNTERS},
                in_flight=flights.total(),
                engines=engines,
            )

    def took(self, engine: str, seconds: float, asker: str = EVERYBODY) -> None:
        """Count what one extraction cost, the engine's time alone."""
        with self._lock:
            self._count(engine, asker, "extraction_seconds", seconds)
            self._version += 1

    # --- private: _fly and _tell_dropped take the lock or need none, the others want it held

    def _fly(self, key, flight, ways, asker, waits) -> CacheResult:
        read, extract = ways
        outcome: CacheOutcome = "disk"
        try:
            prompt = read() if read is not None else None
            if prompt is None:
                outcome = "miss"
                prompt = extract()
        except BaseException as error:
            with self._lock:
                self._count(key.engine, asker, "misses", waits)
                del self._flights[key]
                self._version += 1
            flight.result.set_exception(error)
            raise
        with self._lock:
            self._count(key.engine, asker, "disk_hits" if outcome == "disk" else "misses", waits)
            self._count(key.engine, asker, "extractions", outcome == "miss")
            del self._flights[key]
            # one may have gone meanwhile without having been forgotten yet: whoever removed it tells us after, or died before
            flight.owners = {owner for owner in flight.owners if owner in self._live_generations}
            dropped = self._store(key, prompt, flight, asker)
            self._version += 1
        flight.result.set_result(prompt)
        self._tell_dropped(dropped)
        return CacheResult(prompt, outcome, bool(flight.owners))

    def _store(self, key: PromptKey, prompt: SpeakerPrompt, flight: _Flight, asker: str) -> list[tuple[PromptKey, SpeakerPrompt]]:
        """Keep the prompt if somebody may own it and it fits; returns what had to go for it."""
        orphaned = not flight.owners and not flight.anonymous
        room_bytes, room_entries = self.max_bytes - self._pinned_bytes(), self.max_entries - self._n_pinned()
        if orphaned or prompt.storage_bytes > room_bytes or room_entries < 1:
            self._count(key.engine, asker, "rejected")
            return []
        self._entries[key] = _Entry(prompt, set(flight.owners))
        self._bytes += prompt.storage_bytes
        return self._make_room(spare=key)

    def _make_room(self, spare: PromptKey) -> list[tuple[PromptKey, SpeakerPrompt]]:
        """What has to go for it: the least recently used anonymous one, else the least recently used; never a pinned one."""
        dropped = []
        while self._bytes > self.max_bytes or len(self._entries) > self.max_entries:
            others = [key for key, entry in self._entries.items() if key != spare and not entry.pinned]
            if not others:
                break
            victim = next((key for key in others if not self._entries[key].owners), others[0])
            dropped.append((victim, self._remove(victim)))
            self._count(victim.engine, victim.scope if victim.scope in self._counts else ALL, "evictions")
        return dropped

    def _check_room_for_pin(self, key: PromptKey, entry: _Entry) -> None:
        most_bytes, most_entries = int(self.max_bytes * MOST_PINNED_SHARE), int(self.max_entries * MOST_PINNED_SHARE)
        n_bytes, n_pinned = self._pinned_bytes(), self._n_pinned()
        # how many there are is not a visitor's to know
        if n_pinned + 1 > most_entries:
            raise PinsFull("SPEAKER_CACHE_MAX_ENTRIES", sentence="pins_full" if key.scope else "pins_full_by_number", n=most_entries)
        if n_bytes + entry.prompt.storage_bytes > most_bytes:
            raise PinsFull(
                "SPEAKER_CACHE_MAX_BYTES",
                detail="" if key.scope else f"{n_bytes} bytes are pinned",
                sentence="pins_full" if key.scope else "pins_full_by_size",
                most_bytes=most_bytes,
                this_bytes=entry.prompt.storage_bytes,
            )

    def _pinned_bytes(self) -> int:
        return sum(entry.prompt.storage_bytes for entry in self._entries.values() if entry.pinned)

    def _n_pinned(self) -> int:
        return sum(entry.pinned for entry in self._entries.values())

    def _remove(self, key: PromptKey) -> SpeakerPrompt:
        prompt = self._entries.pop(key).prompt
        self._bytes -= prompt.storage_bytes
        return prompt

    def _own(self, owners: set[Generation], owner: Generation | None) -> bool:
        """Make a live owner an owner; whether it is a new one."""
        if owner is None or owner in owners or owner not in self._live_generations:
            return False
        owners.add(owner)
        return True

    def _count(self, engine: str, asker: str, counter: str, by: float = 1) -> None:
        for workspace in {asker, ALL} - {NOBODY}:  # strangers are many, and none may see another's
            self._counts.setdefault(workspace, {}).setdefault(engine, Counter())[counter] += cast(int, by)  # seconds, too
            self._counts.move_to_end(workspace)
        while len(self._counts) > MOST_ASKERS:
            self._counts.pop(next(workspace for workspace in self._counts if workspace != ALL))

    def _tell_dropped(self, dropped: list[tuple[PromptKey, SpeakerPrompt]]) -> None:
        for key, prompt in dropped:
            for listener in self._listeners:
                listener(key, prompt)
