"""Engines of other packages: found by their entry points, imported when they are first looked at, and refused in words.

A package that cannot be an engine keeps a row, which says why, and the studio and its other engines never notice.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points

from engines.contract.contract import EngineInfo
from engines.contract.options import resolve_options
from engines.contract.package import EnginePackage
from engines.errors import EngineUnavailable

__all__ = ["GROUP", "ID_RULE", "Plugin", "found_plugins", "is_id"]

GROUP = "voice_studio.engines"
ID_RULE = "small letters, digits and _, a letter first, at most 40 of them, and not studio, refused or remote or what begins so with _"
_ID = re.compile(r"(?!(studio|refused|remote)(_|$))[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True)
class Plugin:
    """An engine of another package. distribution: the package's name, as it was installed. fault: why it is not even imported."""

    id: str
    entry: EntryPoint
    distribution: str
    fault: EngineUnavailable | None = field(default=None, compare=False)

    @cached_property
    def package(self) -> EnginePackage:
        """What it gives to the catalog; where it is no engine, a row that says why. Imports its module, once."""
        if self.fault is not None:
            return _refused(self, self.fault)
        try:
            package = self.entry.load()
            fact = _unfit(package, self.id)
            if not fact:
                _try(package)
        except (Exception, SystemExit) as error:  # a stranger's module may raise whatever it likes
            return _refused(self, _broken(self, f"{type(error).__name__}: {error}"))
        return _refused(self, _broken(self, fact)) if fact else package


def is_id(name: str) -> bool:
    """Whether an engine may be called so: it begins the names of its environment variables, and stands in paths of the API."""
    return _ID.fullmatch(name) is not None


def found_plugins(taken: Collection[str]) -> dict[str, Plugin]:
    """Those that are installed, by id, in the order of their ids, the refused ones last. Imports none of them.

    taken: ids that they may not have. Of two packages with one id the first by its name has it.
    """
    found: dict[str, Plugin] = {}
    refused: dict[str, Plugin] = {}
    entries = {(_distribution(entry), entry.name): entry for entry in entry_points(group=GROUP)}
    for (distribution, name), entry in sorted(entries.items()):
        if fault := _fault(name, distribution, {*taken, *found}):
            row = f"refused_{_plain(distribution)}_{_plain(name)}"
            refused[row] = Plugin(row, entry, distribution, fault)
        else:
            found[name] = Plugin(name, entry, distribution)
    return dict(sorted(found.items())) | refused


def _fault(name: str, package: str, taken: Collection[str]) -> EngineUnavailable | None:
    if not is_id(name):
        return EngineUnavailable(sentence="engine_id_unfit", detail=f"an id has {ID_RULE}", name=name, package=package)
    if name in taken:
        return EngineUnavailable(command=f"pip uninstall {package}", sentence="engine_id_taken", name=name, package=package)
    return None


def _unfit(package: object, id: str) -> str:
    """What is wrong with what an entry point names; "" where nothing is."""
    if not isinstance(package, EnginePackage):
        return f"its entry point names {type(package).__name__}, and no EnginePackage"
    if not isinstance(package.info, EngineInfo) or package.info.id != id:
        return f"its entry point is called {id!r}, and its info says {getattr(package.info, 'id', None)!r}"
    return ""


def _try(package: EnginePackage) -> None:
    """Ask it what the catalog asks every engine before it is opened, and let it fail here."""
    resolved = resolve_options(package.info.load_options, {})
    hash(package.info_of(package.info, None, resolved) if package.info_of else package.info)
    if package.weights is not None:
        package.weights.of(resolved).availability()


def _broken(plugin: Plugin, reason: str) -> EngineUnavailable:
    package = plugin.distribution
    return EngineUnavailable(command=f"pip install --upgrade {package}", sentence="engine_package_broken", detail=reason, package=package)


def _refused(plugin: Plugin, why: EngineUnavailable) -> EnginePackage:
    info = EngineInfo(
        id=plugin.id,
        title=plugin.distribution,
        summary="A package that cannot be used as an engine.",
        licenses=(),
        sample_rate=24_000,
        streams="chunk",
        transcript="unused",
        transcript_shapes_prompt=False,
        extractor_revision="",
        languages=(),
        options=(),
        clones_clips=False,
    )
    return EnginePackage(info, _raiser(why), refused=why)


def _raiser(why: EngineUnavailable) -> Callable:
    def refuse(**_: object) -> None:
        raise why.with_traceback(None)  # which every refusal would lengthen

    return refuse


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.value.partition(":")[0]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
