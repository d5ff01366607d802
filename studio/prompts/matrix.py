"""CacheMatrix: what every engine knows of every speaker, cell by cell, and what can be done about a cell. Owns no prompt itself."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass

from engines.contract import EngineInfo
from engines.errors import EngineError
from engines.prompt import embedding_digest
from studio.errors import SpeechCancelled
from studio.prompt_key import PromptKey
from studio.prompts.cache import CachedPrompt, PromptInFlight, SpeakerCache
from studio.prompts.compatibility import incompatibility_of
from studio.prompts.notes import PromptNotes
from studio.prompts.status import PromptStatus, StatusFacts, prompt_status
from studio.running.pool import EnginePool
from studio.speakers.speaker import Speaker, speaker_key
from studio.speakers.store import SpeakerStore
from studio.storage.prompt_files import PromptFile

__all__ = ["CacheMatrix", "MatrixRow", "MatrixRows", "MatrixTotals"]

MOST_KEYS = 8192  # of prompt files whose heads were read; a thousand speakers for eight engines

log = logging.getLogger("studio")


@dataclass(frozen=True)
class MatrixRow:
    """One speaker, its cells in the engines' order."""

    speaker: Speaker
    cells: tuple[PromptStatus, ...]


@dataclass(frozen=True)
class MatrixRows:
    """The rows that were asked for, newest speaker first, and how many there would be without a bound."""

    engines: tuple[EngineInfo, ...]
    rows: tuple[MatrixRow, ...]
    n_found: int


@dataclass(frozen=True)
class MatrixTotals:
    """Of the cache in this process. hit_rate: of all lookups, None before the first. saved_seconds: hits times the mean extraction."""

    entries: int
    max_entries: int
    memory_bytes: int
    max_bytes: int
    pinned: int
    pinned_bytes: int
    hits: int
    lookups: int
    evictions: int
    saved_seconds: float

    @property
    def hit_rate(self) -> float | None:
        return self.hits / self.lookups if self.lookups else None


@dataclass(frozen=True)
class _Look:
    """Cache and flights at one moment, by engine."""

    cached: dict[str, list[CachedPrompt]]
    flights: dict[str, list[PromptInFlight]]


class CacheMatrix:
    """Thread-safe, and quick: nothing here waits for an engine.

    warm(name, engine, force): extracts, stores and prepares; `submit` runs it in the background.
    """

    def __init__(
        self,
        store: SpeakerStore,
        cache: SpeakerCache,
        pool: EnginePool,
        *,
        warm: Callable[[str, str, bool], object],
        submit: Callable[..., object],
    ):
        self.notes = PromptNotes()
        self._store = store
        self._cache = cache
        self._pool = pool
        self._warm = warm
        self._submit = submit
        self._keys: OrderedDict[str, PromptKey] = OrderedDict()  # by digest, which says everything but does not tell it

    # --- look

    def version(self) -> str:
        """Changes whenever a row or a total might."""
        speakers = tuple((speaker.generation_id, speaker.name, speaker.transcript) for speaker in self._store.speakers())
        return f"{self._cache.version}.{self.notes.version}.{hash(speakers)}"

    def rows(self, find: str = "", most: int = 100) -> MatrixRows:
        """Of the speakers whose name holds `find` (in any case), at most `most`."""
        wanted = speaker_key(find)
        found = [speaker for speaker in self._store.speakers() if wanted in speaker.key]
        found.sort(key=lambda speaker: speaker.created_at, reverse=True)
        infos = tuple(status.info for status in self._pool.statuses())
        look = self._look()
        rows = []
        for speaker in found[:most]:
            files = self._store.prompt_files(speaker.generation)
            cells = tuple(prompt_status(self._facts(speaker, info, look, files)) for info in infos)
            rows.append(MatrixRow(speaker, cells))
        return MatrixRows(infos, tuple(rows), len(found))

    def totals(self) -> MatrixTotals:
        stats = self._cache.stats()
        saved = sum(
            engine["hits"] * engine["extraction_seconds"] / engine["extractions"]
            for engine in stats["engines"].values()
            if engine["extractions"]
        )
        return MatrixTotals(
            **{name: stats[name] for name in ("entries", "max_entries", "memory_bytes", "max_bytes", "pinned", "pinned_bytes", "hits")},
            lookups=sum(stats[outcome] for outcome in ("hits", "misses", "joined", "disk_hits")),
            evictions=stats["evictions"],
            saved_seconds=saved,
        )

    # --- do

    def extract(self, name: str, engine: str, *, force: bool = False) -> Speaker:
        """Begin to extract in the background, again where `force`; the cell tells how it goes. A pin is kept.

        Raises SpeakerUnknown, EngineUnknown.
        """
        speaker = self._store.get(name)
        self._pool.worker(engine)
        if self.notes.ask(speaker.generation_id, engine):
            self._submit(self._extract, speaker, engine, force)
        return speaker

    def pin(self, name: str, engine: str) -> bool:
        """Keep a prompt in memory; whether it is there. Raises SpeakerUnknown, EngineUnknown, PinsFull."""
        key = self._current_key(self._store.get(name), engine)
        return key is not None and self._cache.pin(key)

    def unpin(self, name: str, engine: str) -> None:
        """Raises SpeakerUnknown, EngineUnknown."""
        self._pool.worker(engine)
        for cached in self._cached(self._store.get(name), engine):
            self._cache.unpin(cached.key)

    def evict(self, speaker: Speaker, engine: str) -> None:
        """Drop all that the engine knows of a speaker, out of date or not, from memory and disk. The caller has ended writes under way."""
        self._store.remove_prompts(speaker.generation, engine)
        for cached in self._cached(speaker, engine):
            self._cache.drop(cached.key)
        self.notes.touch()

    # --- private

    def _extract(self, speaker: Speaker, engine: str, force: bool) -> None:
        was_pinned = any(cached.pinned for cached in self._cached(speaker, engine))
        try:
            self._warm(speaker.name, engine, force)
            if was_pinned:
                self.pin(speaker.name, engine)
        except SpeechCancelled:
            return  # the studio is closing
        except Exception as error:
            if not isinstance(error, EngineError):
                log.exception("%s could not learn %s", engine, speaker.generation.key)
            self.notes.failed(speaker.generation_id, engine, error)
        finally:
            self.notes.answered(speaker.generation_id, engine)

    def _look(self) -> _Look:
        look = _Look({}, {})
        entries, flights = self._cache.look()
        for entry in entries:
            look.cached.setdefault(entry.key.engine, []).append(entry)
        for flight in flights:
            look.flights.setdefault(flight.key.engine, []).append(flight)
        return look

    def _facts(self, speaker: Speaker, info: EngineInfo, look: _Look, files: Collection[PromptFile]) -> StatusFacts:
        engine, generation_id = info.id, speaker.generation_id
        key = self._current_key(speaker, engine)
        stored = tuple((self._key_of(file), file.n_bytes) for file in files if file.engine == engine)
        return StatusFacts(
            info=info,
            source_digest=_source_digest(speaker),
            words_digest=speaker.transcript.digest if speaker.transcript else "",
            extractor=self._pool.worker(engine).extractor,
            cached=tuple(cached for cached in look.cached.get(engine, ()) if _concerns(cached, key, generation_id)),
            flights=tuple(flight for flight in look.flights.get(engine, ()) if _concerns(flight, key, generation_id)),
            stored=stored,
            asked=self.notes.asked(generation_id, engine),
            failure=self.notes.failure(generation_id, engine),
            incompatibility=incompatibility_of(speaker, info),
            pace=self.notes.pace(generation_id, engine),
        )

    def _cached(self, speaker: Speaker, engine: str) -> list[CachedPrompt]:
        key = self._current_key(speaker, engine)
        return [cached for cached in self._look().cached.get(engine, ()) if _concerns(cached, key, speaker.generation_id)]

    def _current_key(self, speaker: Speaker, engine: str) -> PromptKey | None:
        """The key of what the engine would learn now; None before it was opened for the first time. Raises EngineUnknown."""
        extractor = self._pool.worker(engine).extractor
        return PromptKey.of(extractor, _source_digest(speaker), speaker.transcript) if extractor else None

    def _key_of(self, file: PromptFile) -> PromptKey | None:
        key = self._keys.get(file.digest) or file.read_key()
        if key is not None:
            self._keys[file.digest] = key
            while len(self._keys) > MOST_KEYS:
                self._keys.popitem(last=False)
        return key


def _source_digest(speaker: Speaker) -> str:
    return speaker.clip_digest if speaker.embedding is None else embedding_digest(speaker.embedding)


def _concerns(known: CachedPrompt | PromptInFlight, key: PromptKey | None, generation_id: str) -> bool:
    """Whether the speaker owns it, or would use it. Ids, since renaming changes the name in a generation and nothing else."""
    return known.key == key or any(owner.id == generation_id for owner in known.owners)
