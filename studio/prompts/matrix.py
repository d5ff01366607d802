"""CacheMatrix: the status of every speaker's prompt with every engine, as rows. It is a view: it owns nothing and changes nothing."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

from engines.contract.contract import EngineInfo
from studio.prompt_key import PromptKey
from studio.prompts.activity import Failure, failure_of
from studio.prompts.cache import CachedPrompt, PromptInFlight
from studio.prompts.source import PromptSource, from_speaker
from studio.prompts.status import PromptStatus, StatusFacts, incompatibility_of, prompt_status
from studio.prompts.supply import PromptSupply
from studio.running.lifecycle import EngineStatus
from studio.speakers.speaker import Speaker, speaker_key
from studio.speakers.workspace_speakers import WorkspaceSpeakers
from studio.storage.prompt_files import PromptFile

__all__ = ["CacheMatrix", "MatrixRow", "MatrixRows", "PromptFileKeys"]

MOST_KEYS = 8192  # of prompt files whose heads were read; a thousand speakers for eight engines


@dataclass(frozen=True)
class MatrixRow:
    """One speaker, and the status of its prompts in the engines' order."""

    speaker: Speaker
    statuses: tuple[PromptStatus, ...]


@dataclass(frozen=True)
class MatrixRows:
    """The rows that were asked for, newest speaker first, and how many there would be without a bound."""

    engines: tuple[EngineInfo, ...]
    rows: tuple[MatrixRow, ...]
    n_found: int


@dataclass(frozen=True)
class _Known:
    """Cache and flights at one moment, by engine; and whether words that are missing can be written."""

    cached: dict[str, list[CachedPrompt]]
    flights: dict[str, list[PromptInFlight]]
    writes_words: bool


class PromptFileKeys:
    """What the heads of prompt files say, of MOST_KEYS of them. One per studio."""

    def __init__(self):
        self._keys: OrderedDict[str, PromptKey] = OrderedDict()  # by digest, which says everything but does not tell it

    def key_of(self, file: PromptFile) -> PromptKey | None:
        """None where its head cannot be read."""
        key = self._keys.get(file.digest) or file.read_key()
        if key is not None:
            self._keys[file.digest] = key
            while len(self._keys) > MOST_KEYS:
                self._keys.popitem(last=False)
        return key


class CacheMatrix:
    """Of the speakers that a workspace sees. Thread-safe, and quick: nothing here waits for an engine.

    lacks_weights(engine): whether they are still to be fetched.
    """

    def __init__(
        self,
        workspace_speakers: WorkspaceSpeakers,
        supply: PromptSupply,
        keys: PromptFileKeys,
        lacks_weights: Callable[[str], bool],
    ):
        self._workspace_speakers = workspace_speakers
        self._cache, self._pool = supply.cache, supply.pool
        self._activity, self._refiner, self._words = supply.activity, supply.refiner, supply.words
        self._keys = keys
        self._lacks_weights = lacks_weights

    def version(self) -> str:
        """Changes whenever a row or a count of the cache might."""
        speakers = tuple((speaker.generation_id, speaker.name, speaker.transcript) for speaker in self._workspace_speakers.speakers())
        return f"{self._cache.version}.{self._activity.version}.{self._refiner.version}.{hash(speakers)}"

    def rows(self, find: str = "", most: int = 100) -> MatrixRows:
        """Of the speakers whose name holds `find` (in any case), at most `most`."""
        wanted = speaker_key(find)
        found = [speaker for speaker in self._workspace_speakers.speakers() if wanted in speaker_key(speaker.name)]
        found.sort(key=lambda speaker: speaker.created_at, reverse=True)
        engines, known = self._pool.statuses(), self._known()
        rows = tuple(MatrixRow(speaker, self._statuses(speaker, engines, known)) for speaker in found[:most])
        return MatrixRows(tuple(status.info for status in engines), rows, len(found))

    def statuses(self, speakers: Iterable[Speaker]) -> list[tuple[PromptStatus, ...]]:
        """Of each of these speakers, in the engines' order."""
        engines, known = self._pool.statuses(), self._known()
        return [self._statuses(speaker, engines, known) for speaker in speakers]

    # --- private

    def _known(self) -> _Known:
        known = _Known({}, {}, self._words.can_write)
        entries, flights = self._cache.look()
        for entry in entries:
            known.cached.setdefault(entry.key.engine, []).append(entry)
        for flight in flights:
            known.flights.setdefault(flight.key.engine, []).append(flight)
        return known

    def _statuses(self, speaker: Speaker, engines: Iterable[EngineStatus], known: _Known) -> tuple[PromptStatus, ...]:
        files = self._workspace_speakers.store.prompt_files(speaker.generation)
        return tuple(prompt_status(self._facts(speaker, status, known, files)) for status in engines)

    def _facts(self, speaker: Speaker, status: EngineStatus, known: _Known, files: Collection[PromptFile]) -> StatusFacts:
        info = status.info
        engine, generation_id = info.id, speaker.generation_id
        source = from_speaker(speaker, engine)
        words = source.words_for(info)
        extractor = self._pool.worker(engine).extractor
        key = source.key(extractor) if extractor else None
        refined = key if info.refines else None
        error = refined and self._refiner.failure(refined)
        return StatusFacts(
            info=info,
            source_digest=source.digest,
            words_digest=words.digest if words else "",
            extractor=extractor,
            cached=tuple(cached for cached in known.cached.get(engine, ()) if cached.concerns(generation_id, key)),
            flights=tuple(flight for flight in known.flights.get(engine, ()) if flight.concerns(generation_id, key)),
            stored=tuple((self._key_of(file, source), file.n_bytes) for file in files if file.engine == engine),
            asked=self._activity.asked(generation_id, engine),
            failure=self._activity.failure(generation_id, engine),
            incompatibility=incompatibility_of(speaker, info, writes_words=known.writes_words, engines=self._pool.infos.values()),
            last_speech=self._activity.last_speech(generation_id, engine),
            lacking=self._lack(status),
            is_own=self._workspace_speakers.owns(speaker),
            learning=refined and self._refiner.learning(refined),
            refusal=error and failure_of(error),
        )

    def _lack(self, status: EngineStatus) -> Failure | None:
        """Why the engine cannot be opened; None where it can."""
        if status.state == "unavailable":
            return Failure(status.reason, "", code=status.code, values=status.values)
        is_open = status.state in ("loading", "ready", "unloading")
        if is_open or not self._lacks_weights(status.info.id):
            return None
        title = status.info.title
        return Failure(f"The weights of {title} are not here.", "", code="weights_lacking", values={"engine": title})

    def _key_of(self, file: PromptFile, source: PromptSource) -> PromptKey | None:
        """What the head of a prompt's file says, for whom it lies there; None where it cannot be read."""
        key = self._keys.key_of(file)
        return key and replace(key, scope=source.scope)
