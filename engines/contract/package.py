"""EnginePackage: what the folder of an engine gives to the catalog. Importing one loads no weights and no heavy library."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from engines.contract.contract import Engine, EngineInfo
from engines.contract.options import Value
from engines.contract.release import Release
from engines.errors import EngineUnavailable

__all__ = ["EnginePackage", "PackageWeights", "Progress"]

Progress = Callable[[int, int | None], None]  # bytes so far, bytes in all where known


class PackageWeights(Protocol):
    """Weights that do not come with the engine's folder. checkpoint: a local folder or a hub id; None for the engine's own default.

    Nothing but `fetch` asks the network, and what only looks is quick enough to be asked every second.
    """

    def of(self, options: Mapping[str, Value]) -> "PackageWeights":
        """Those that these load options ask for, which are complete; itself where it is those already."""
        ...

    def availability(self, checkpoint: str | None = None) -> EngineUnavailable | None:
        """Why the engine could not be opened now for want of weights, or None: where they are here, and where opening would fetch them."""
        ...

    def is_here(self, checkpoint: str | None = None) -> bool:
        """Whether they are complete on this machine."""
        ...

    def n_bytes(self, checkpoint: str | None = None) -> int:
        """How large they are: on this machine's disk, else as released; 0 where neither is known."""
        ...

    def command(self, checkpoint: str | None = None) -> str:
        """The one line that gets them."""
        ...

    def hub_id(self, checkpoint: str | None = None) -> str:
        """The hub's repository that they are; "" for those of a local folder, which may be any."""
        ...

    def fetch(self, checkpoint: str | None, progress: Progress, cancelled: Callable[[], bool]) -> None:
        """Bring them, as `WeightsSource.fetch` of the catalog says. Raises FetchCancelled, EngineUnavailable."""
        ...


@dataclass(frozen=True)
class EnginePackage:
    """`PACKAGE` of engines/<id>/__init__.py.

    info: what the engine declares before it is opened.
    info_of: (info, checkpoint, load options) -> info of what these open, where they open models that can do different things; None where
    all can do the same.
    open: (checkpoint, device, dtype, progress, **info.load_options) -> Engine; raises EngineUnavailable, CheckpointInvalid, OptionInvalid.
    Of a package of which there may be several engines, each with an id of its own, also (name): that id. Its `info_of` keeps the id that
    it is given.
    weights: where they are had; None for an engine whose weights lie in its folder.
    sizes: the released sizes by the makers' words ("0.6B"), each of which open_random opens.
    open_random: (size, device, dtype, **info.load_options) -> Engine of that size whose weights are drawn, not read: for measurements
    (speed does not depend on what weights say) where no weights are. None where there is nothing to draw.
    releases: the repositories that the makers released, the default first, where people choose among several.
    refused: why it can never be opened as it is installed, of a package that is no engine (engines/plugins.py).
    """

    info: EngineInfo
    open: Callable[..., Engine]
    weights: PackageWeights | None = None
    sizes: tuple[str, ...] = ()
    open_random: Callable[..., Engine] | None = None
    info_of: Callable[[EngineInfo, str | None, Mapping[str, Value]], EngineInfo] | None = None
    releases: tuple[Release, ...] = ()
    refused: EngineUnavailable | None = None
