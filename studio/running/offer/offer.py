"""The offer of the catalog under these settings: engines, the source of their weights, and what is missing."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from engines import catalog
from engines.contract.contract import Engine, EngineInfo
from engines.errors import EngineUnavailable, OptionInvalid
from studio.reading.reader import prepare
from studio.running.offer.memory_check import finds_gpu
from studio.settings import REMOTE, Settings, SettingsInvalid, read_settings

__all__ = [
    "is_lent", "offered", "offered_engine", "offered_settings", "open_from_catalog", "source_of", "sources",
    "weights_lacking", "weights_look",
]  # fmt: skip

LEDGER = "ledger"  # the load option of an engine that writes down in a folder what it left elsewhere; it lies beside the speakers
ONE_STREAM = {"width": 1}  # a process on ZeroGPU serves one visitor; keys and values of more would be brought to the GPU at every start


def offered_settings(environment: Mapping[str, str] | None = None, own: Mapping[str, object] = MappingProxyType({})) -> Settings:
    """Settings of a studio of the catalog's engines, and of remote ones. Reads as `read_settings`. Raises SettingsInvalid."""
    engines = {name: catalog.engine_info(name).load_options for name in catalog.engine_ids()}
    return read_settings(environment, engines=engines, remote=lambda: catalog.several_load_options(REMOTE), own=own)


def offered(settings: Settings, finds_gpu: Callable[[], bool] = finds_gpu) -> dict[str, EngineInfo]:
    """By id, in the order for people, each as large as its checkpoint. Imports no model's networks.

    That is the order that was set, else the catalog's, in which engines that want a GPU come first where they have one. Remote engines are
    behind them, but for those to which the order that was set gives a place. Of engines that suit a CPU the first may be the default
    (pool.py). Raises SettingsInvalid where an engine cannot do with what was set.
    """
    infos = {name: offered_engine(settings, name) for name in _names(settings)}
    on_gpu = {name for name, info in infos.items() if _may_use_gpu(settings, name, info)}
    if settings.engines or not on_gpu or not (settings.zero_gpu or finds_gpu()):
        return infos
    return {name: infos[name] for name in sorted(infos, key=lambda name: name not in on_gpu)}  # which keeps the order of equals


def offered_engine(settings: Settings, name: str) -> EngineInfo:
    """What one of them declares. Raises SettingsInvalid."""
    its = settings.for_engine(name)
    try:
        return catalog.engine_info(name, its.checkpoint, its.options)
    except OptionInvalid as error:
        raise SettingsInvalid(f"{name}_{error.parameter}: ".upper() + f"{error.fact} {error.hint}".strip()) from None


def sources(settings: Settings, infos: Mapping[str, EngineInfo] | None) -> dict[str, catalog.WeightsSource]:
    """Of the catalog's engines; engines that were handed in have no weights to fetch."""
    found = {name: source_of(settings, name) for name in (_names(settings) if infos is None else ())}
    return {name: source for name, source in found.items() if source is not None}


def source_of(settings: Settings, name: str) -> catalog.WeightsSource | None:
    """Of one engine; None for one that has nothing to fetch."""
    its = settings.for_engine(name)
    return catalog.weights_source(name, checkpoint=its.checkpoint, options=its.options)


def weights_lacking(settings: Settings, name: str) -> EngineUnavailable | None:
    """Why the engine could not be opened now for want of weights; None where nothing is known to be missing."""
    return weights_look(settings, name)()


def weights_look(settings: Settings, name: str) -> Callable[[], EngineUnavailable | None]:
    """`weights_lacking`, to be asked again and again: what was set for the engine is read once."""
    chosen = settings.for_engine(name)
    return catalog.availability_look(name, chosen.checkpoint, chosen.options)


def is_lent(settings: Settings, name: str, info: EngineInfo) -> bool:
    """Whether the engine works in processes that ZeroGPU lends: where that is the host, and the engine wants a GPU and was given no CPU."""
    return settings.zero_gpu and _may_use_gpu(settings, name, info)


def open_from_catalog(settings: Settings, name: str) -> Engine:
    """As `engine_settings` say. Raises what the catalog's `open_engine` does.

    On ZeroGPU torch believes in a GPU, so that whoever is not lent one is told to compute on the CPU.
    """
    chosen = settings.for_engine(name)
    info = catalog.engine_info(name, chosen.checkpoint, chosen.options)
    declared = {option.name for option in info.load_options}
    own = {LEDGER: str(settings.speakers_dir / REMOTE / name)} if LEDGER in declared else {}
    if is_lent(settings, name, info):
        own |= {option: value for option, value in ONE_STREAM.items() if option in declared}
    elif settings.zero_gpu and info.runs == "here":
        chosen = chosen.model_copy(update={"device": chosen.device or "cpu"})
    given = {option: value for option, value in chosen.options.items() if option != LEDGER or value}
    if settings.dialect.reads_texts:
        prepare(info)
    return catalog.open_engine(name, **chosen.model_copy(update={"options": own | given}).model_dump())


def _names(settings: Settings) -> tuple[str, ...]:
    """Ids of the engines that are offered."""
    return tuple(dict.fromkeys((*(settings.engines or catalog.engine_ids()), *settings.remotes)))


def _may_use_gpu(settings: Settings, name: str, info: EngineInfo) -> bool:
    return info.wants_gpu and info.runs == "here" and settings.for_engine(name).device != "cpu"
