"""Assembly: makes the parts of a studio in their order, each from those before it. What belongs to one workspace is made by Studio."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypedDict, Unpack

from engines import catalog
from engines.contract.contract import Engine, EngineInfo
from engines.errors import EngineUnavailable
from studio.analysis.estimators import Estimators
from studio.analysis.transcriber import Transcriber
from studio.consents.kept_consents import ConsentsFolder
from studio.errors import EngineInUse, EngineUnknown
from studio.evaluations.evaluations_folder import EvaluationsFolder
from studio.lexicons.kept_lexicon import lexicon_files
from studio.library.expiry import Expiry
from studio.library.forgetter import Forgetter
from studio.listening.listening_folder import ListeningFolder
from studio.listening.pairs.open_pairs import OpenPairs
from studio.listening.pairs.pair_votes import PairVote, vote_files
from studio.prompts.cache import SpeakerCache
from studio.prompts.matrix import PromptFileKeys
from studio.prompts.refiner import learn_seconds
from studio.prompts.remote_cleanup import RemoteCleanup
from studio.prompts.source import WrittenWords
from studio.prompts.supply import PromptSupply
from studio.reading.lexicon.lexicon import Lexicon
from studio.reference.remote_audio import RemoteAudio
from studio.running.offer.machine import MachineFits
from studio.running.offer.memory_check import free_bytes
from studio.running.offer.offer import offered, open_from_catalog, sources
from studio.running.offer.releases import Releases
from studio.running.offer.weights import AcceptedLicenses, Weights
from studio.running.pool import DefaultEngine, EnginePool
from studio.running.release_choice import ReleaseChoice
from studio.running.zero_gpu.zero_gpu import ZeroGpu, open_zero_gpu
from studio.scripts.scripts_folder import ScriptsFolder
from studio.settings import Settings
from studio.speakers.clips_at_hand import ClipsAtHand
from studio.speakers.registry import LiveGenerations
from studio.speakers.speaker_aliases import SpeakerAlias, alias_files, keyed_aliases
from studio.speakers.store import SpeakerStore
from studio.speech.kept.history_folder import HistoryFolder
from studio.speech.request_log import RequestLog
from studio.storage.trash import Trash
from studio.storage.workspace_file import WorkspaceFiles

__all__ = ["StudioParts", "Substitutes", "assemble"]


class Substitutes(TypedDict, total=False):
    """In place of the catalog's and the machine's, in tests and measurements.

    infos, open_engine, weights, free_bytes: the engines on offer, what opens one, where their weights come from, and the memory that is
    free on a device. gpu_host: what lends a GPU, where not the one that settings say.
    """

    infos: Mapping[str, EngineInfo] | None
    open_engine: Callable[[str], Engine] | None
    weights: Mapping[str, catalog.WeightsSource] | None
    free_bytes: Callable[[str | None], int | None]
    gpu_host: ZeroGpu | None


@dataclass(frozen=True)
class _Engines:
    """All that is about engines and no speaker. infos: what they declare, which a choice of release changes."""

    infos: dict[str, EngineInfo]
    releases: Releases
    licenses: AcceptedLicenses
    weights: Weights
    default: DefaultEngine
    pool: EnginePool
    fits: MachineFits
    release_choice: ReleaseChoice


@dataclass(frozen=True)
class _Speakers:
    """All that keeps something of speakers, whosever they are."""

    store: SpeakerStore
    cache: SpeakerCache
    trash: Trash
    history: HistoryFolder
    remote_cleanup: RemoteCleanup
    forgetter: Forgetter


@dataclass(frozen=True)
class StudioParts:
    """Of all workspaces; thread-safe. Studio says what most of them are."""

    engines: _Engines
    speakers: _Speakers
    transcriber: Transcriber
    estimators: Estimators
    supply: PromptSupply
    keys: PromptFileKeys
    listening: ListeningFolder
    scripts: ScriptsFolder
    evaluations: EvaluationsFolder
    open_pairs: OpenPairs
    votes: WorkspaceFiles[tuple[PairVote, ...]]
    lexicons: WorkspaceFiles[Lexicon]
    aliases: WorkspaceFiles[dict[str, SpeakerAlias]]
    outer_aliases: Mapping[str, SpeakerAlias]
    consents: ConsentsFolder
    clips_at_hand: ClipsAtHand
    request_log: RequestLog
    remote_audio: RemoteAudio
    expiry: Expiry

    def close(self) -> None:
        """Cancel speech, close engines, finish what is being written."""
        self.expiry.close()
        self.supply.stop_learning()
        engines, speakers = self.engines, self.speakers
        for part in (
            self.listening,
            self.scripts,
            self.evaluations,
            engines.weights,
            engines.pool,
            self.estimators,
            self.transcriber,
            self.supply,
            speakers.trash,
        ):
            part.close()
        speakers.history.close()


def assemble(settings: Settings, **instead: Unpack[Substitutes]) -> StudioParts:
    """Raises EngineUnknown for a default engine that is not on offer."""
    folder, idle_seconds = settings.speakers_dir, 60 * settings.unload_after_minutes
    engines = _engines(settings, instead)
    evaluations = EvaluationsFolder(folder / "evaluations", has_shared_memory=not settings.space_id)
    speakers = _speakers(settings, engines.pool, evaluations)
    transcriber = Transcriber(settings.transcriber, idle_seconds)
    words = WrittenWords(transcriber, speakers.store, is_allowed=settings.dialect.writes_words)
    supply = PromptSupply(
        speakers.store, speakers.cache, engines.pool, words, speakers.remote_cleanup, learn_seconds=learn_seconds(settings)
    )
    listening, votes = ListeningFolder(folder / "listening", has_shared_memory=not settings.space_id), vote_files(folder / "votes")
    is_live = speakers.store.live_generations.holds
    scripts = ScriptsFolder(folder / "scripts", is_live=is_live, has_shared_memory=not settings.space_id)
    lexicons, aliases = lexicon_files(folder / "lexicons"), alias_files(folder / "aliases")
    consents = ConsentsFolder(folder / "consents", settings, in_use=speakers.store.consents)
    of_workspaces = (speakers.history, listening, scripts, evaluations, votes, lexicons, aliases, consents)
    return StudioParts(
        engines,
        speakers,
        transcriber,
        Estimators(transcriber, idle_seconds),
        supply,
        PromptFileKeys(),
        listening,
        scripts,
        evaluations,
        OpenPairs(),
        votes,
        lexicons,
        aliases,
        keyed_aliases(settings.speaker_aliases),
        consents,
        ClipsAtHand(),
        RequestLog(),
        RemoteAudio(),
        Expiry(settings, speakers.store, of_workspaces, speakers.forgetter.forget),
    )


def _engines(settings: Settings, instead: Substitutes) -> _Engines:
    given = instead.get("infos")
    releases = Releases(settings, None if given is not None else settings.speakers_dir / "releases.json")
    infos = dict(given) if given is not None else offered(releases.settings)
    if settings.default_engine not in infos:
        raise EngineUnknown(settings.default_engine, tuple(infos))
    origins = instead.get("weights")
    origins = sources(releases.settings, given) if origins is None else origins
    licenses = AcceptedLicenses(settings.speakers_dir / "licences.json", settings.accept_licenses)
    weights = Weights(infos, origins, licenses)
    default = DefaultEngine(settings, infos, weights.are_here)
    look = _lacks_nothing if instead.get("open_engine") else releases.look
    opening = _EngineOpening(look, releases, weights, default, instead.get("open_engine"))
    pool = EnginePool(
        infos,
        opening.open,
        settings,
        look=look,
        gpu_host=instead.get("gpu_host") or (open_zero_gpu(settings.zero_gpu_size) if settings.zero_gpu else None),
        free_bytes=instead.get("free_bytes", free_bytes),
    )
    weights.when_fetched(partial(_reconsider, pool, default))
    fits = MachineFits(settings, infos)
    return _Engines(infos, releases, licenses, weights, default, pool, fits, ReleaseChoice(releases, infos, pool, weights, fits))


@dataclass(frozen=True)
class _EngineOpening:
    """Opens engines with weights that are here, where they fit, and settles which is the default. look: as EnginePool has it.
    open_engine: in the catalog's place.
    """

    look: Callable[[str], Callable[[], EngineUnavailable | None]]
    releases: Releases
    weights: Weights
    default: DefaultEngine
    open_engine: Callable[[str], Engine] | None = None

    def open(self, name: str, check_memory: Callable[[], None]) -> Engine:
        """For EnginePool."""

        def opened() -> Engine:
            if (lack := self.look(name)()) is not None:  # as it is listed, however little memory there is
                raise lack
            check_memory()
            return (self.open_engine or self._open_from_catalog)(name)

        return self.default.opening(name, opened)

    def _open_from_catalog(self, name: str) -> Engine:
        self.weights.bring(name)  # they are here, or a hub has them and it was said that it should be asked
        return open_from_catalog(self.releases.settings, name)


def _lacks_nothing(engine: str) -> Callable[[], EngineUnavailable | None]:
    return lambda: None


def _reconsider(pool: EnginePool, default: DefaultEngine, engine: str) -> None:
    """Its weights have come: what made it unavailable is over."""
    with suppress(EngineInUse):
        pool.worker(engine).unload()
    if default.awaits(engine):
        pool.worker(engine).begin_loading()


def _speakers(settings: Settings, pool: EnginePool, evaluations: EvaluationsFolder) -> _Speakers:
    live = LiveGenerations()
    store = SpeakerStore(
        settings.speakers_dir,
        most_speakers=settings.most_speakers,
        policy=settings.registration_policy,
        engines=pool.declared,
        live_generations=live,
    )
    cache = SpeakerCache(live, max_bytes=settings.cache_max_bytes, max_entries=settings.cache_max_entries)
    history = HistoryFolder(settings.speakers_dir / "history", most_entries=settings.most_history_entries, is_live=live.holds)
    trash = Trash(settings.speakers_dir / "trash")
    history.forget_dead()
    evaluations.forget_dead(store)
    remote_cleanup = RemoteCleanup(store, cache, pool, trash)
    forgetter = Forgetter(cache, pool, (history.forget, evaluations.forget_recording), remote_cleanup)
    live.when_gone(forgetter.forget)
    cache.when_dropped(forgetter.forget_prepared)
    trash.when_gone(forgetter.forget_kept)
    pool.when_opened(remote_cleanup.clean_up_now)
    return _Speakers(store, cache, trash, history, remote_cleanup, forgetter)
