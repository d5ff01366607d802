"""What the catalog offers under these settings: engines, where their weights come from, and what is missing of them."""

from collections.abc import Mapping

from engines import catalog
from engines.contract import EngineInfo
from engines.errors import EngineUnavailable
from studio.settings import Settings

__all__ = ["offered", "sources", "weights_lacking"]


def offered(settings: Settings) -> dict[str, EngineInfo]:
    """By id, in the catalog's order, or in the one that was set, each as large as its checkpoint. Imports no model's networks."""
    return {name: catalog.engine_info(name, settings.for_engine(name).checkpoint) for name in settings.engines or catalog.engine_ids()}


def sources(settings: Settings, infos: Mapping[str, EngineInfo] | None) -> dict[str, catalog.WeightsSource]:
    """Of the catalog's engines; engines that were handed in have no weights to fetch."""
    names = (settings.engines or catalog.engine_ids()) if infos is None else ()
    found = {name: catalog.weights_source(name, checkpoint=settings.for_engine(name).checkpoint) for name in names}
    return {name: source for name, source in found.items() if source is not None}


def weights_lacking(settings: Settings, name: str) -> EngineUnavailable | None:
    """Why the engine could not be opened now for want of weights; None where nothing is known to be missing."""
    return catalog.engine_availability(name, settings.for_engine(name).checkpoint)
