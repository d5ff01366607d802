"""Weights: fetches the weights of engines in the background, one fetch per engine.

It reports bytes, and a fetch stops and goes on by request. Where a license forbids uses, nothing is fetched before the license is accepted.
AcceptedLicenses are those licenses that somebody accepted for this studio; one file remembers them.
"""

import json
import logging
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from engines.catalog import WeightsSource
from engines.contract.contract import EngineInfo
from engines.durable import put_file, sync_directory
from engines.errors import EngineError, EngineUnavailable, FetchCancelled
from engines.plain_json import read_json
from studio.errors import DiskFull, DiskReadOnly, EngineUnknown, LicenseNotAccepted, NothingToFetch, disk_error

__all__ = ["AcceptedLicenses", "Weights", "WeightsState", "WeightsStatus"]

# --- licenses


class AcceptedLicenses:
    """Thread-safe. An engine whose license forbids nothing needs no acceptance; one whose terms have changed needs another.

    file: JSON, engine -> {license, restriction, accepted_at}; None keeps them in memory. by_settings: engines that the operator accepted.
    """

    def __init__(self, file: Path | None = None, by_settings: Collection[str] = ()):
        self._file = file
        self._by_settings = frozenset(by_settings)
        self._lock = threading.Lock()
        self._accepted: dict[str, dict[str, str]] = self._read()

    def holds(self, info: EngineInfo) -> bool:
        """Whether the weights may be fetched as far as the license goes."""
        if not info.restriction or info.id in self._by_settings:
            return True
        if not _terms(info).items() <= self._accepted.get(info.id, {}).items():
            self._accepted = self._accepted | self._read()  # another studio on the same folder may have been told
        return _terms(info).items() <= self._accepted.get(info.id, {}).items()

    def accept(self, info: EngineInfo) -> None:
        """Somebody accepted the terms as they are now. Raises OSError where that cannot be written down."""
        with self._lock:
            accepted = (
                self._accepted | self._read() | {info.id: _terms(info) | {"accepted_at": datetime.now(UTC).isoformat(timespec="seconds")}}
            )
            if self._file is not None:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                put_file(self._file, [json.dumps(accepted, indent=1).encode()])
                sync_directory(self._file.parent)
            self._accepted = accepted

    def _read(self) -> dict[str, dict[str, str]]:
        """What cannot be read was not accepted: it is asked for again."""
        if self._file is None or not self._file.is_file():
            return {}
        try:
            read = read_json(self._file.read_text("utf-8"))
            return {str(name): dict(terms) for name, terms in read.items()}
        except (OSError, ValueError, AttributeError, TypeError) as error:
            log.warning("accepted licences cannot be read and are asked for again: %s", type(error).__name__)
            return {}


def _terms(info: EngineInfo) -> dict[str, str]:
    return {"licence": info.license, "restriction": info.restriction}


# --- weights


# included: nothing to download. absent: not (wholly) here; some bytes may be, from a fetch that was cancelled or failed.
WeightsState = Literal["included", "absent", "fetching", "cancelled", "failed", "ready"]
CLOSING_SECONDS = 5.0  # for a download that does not ask whether it was cancelled; its thread ends with the process

WEIGHTS_SETTING = "HF_HOME"  # where the hub's library keeps what it downloads
RESUME = "Get the weights again to go on where it ended."

log = logging.getLogger("studio")


@dataclass(frozen=True)
class WeightsStatus:
    """done_bytes never falls while one fetch runs. all_bytes: None while unknown. reason, hint, code and values: of a failure."""

    state: WeightsState
    done_bytes: int = 0
    all_bytes: int | None = None
    reason: str = ""
    hint: str = ""
    code: str = ""
    values: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(eq=False)
class _Fetch:
    """The last fetch of one engine."""

    status: WeightsStatus
    cancelled: threading.Event
    told: bool = False  # of any bytes yet; what an earlier fetch had may have been thrown away
    failure: EngineError | None = None
    thread: threading.Thread = field(default_factory=threading.Thread)


class Weights:
    """infos: the engines on offer. sources: of those that have something to download.

    licenses: what was accepted of those that forbid uses.
    """

    def __init__(
        self,
        infos: Mapping[str, EngineInfo],
        sources: Mapping[str, WeightsSource],
        licenses: AcceptedLicenses | None = None,
    ):
        self._infos = infos
        self._sources = dict(sources)
        self._listeners: tuple[Callable[[str], None], ...] = ()
        self._licenses = licenses or AcceptedLicenses()
        self._lock = threading.Lock()
        self._fetches: dict[str, _Fetch] = {}
        self._here: set[str] = set()
        self._closing = False

    def when_fetched(self, listener: Callable[[str], None]) -> None:
        """Tell listener(engine) when all of its weights have come."""
        self._listeners = (*self._listeners, listener)

    def status(self, engine: str) -> WeightsStatus:
        """Raises EngineUnknown."""
        info = self._info(engine)
        source = self._sources.get(engine)
        if source is None:
            return WeightsStatus("included", all_bytes=info.weights_bytes or None)
        fetch = self._fetches.get(engine)
        if fetch is not None and fetch.status.state == "fetching":
            return fetch.status
        if engine in self._here or source.is_here():
            self._here.add(engine)
            return WeightsStatus("ready", all_bytes=(fetch.status.all_bytes if fetch else None) or info.weights_bytes or None)
        return fetch.status if fetch else WeightsStatus("absent", all_bytes=info.weights_bytes or None)

    def are_lacking(self, engine: str) -> bool:
        """Whether they can be fetched and are not wholly here. Raises EngineUnknown."""
        return self.status(engine).state not in ("included", "ready")

    def are_here(self, engine: str) -> bool:
        """The contrary."""
        return not self.are_lacking(engine)

    def begin(self, engine: str) -> None:
        """Start fetching, or go on where the last fetch ended; nothing where one runs or all is here.

        Raises EngineUnknown, NothingToFetch, LicenseNotAccepted.
        """
        before, info = self.status(engine), self._info(engine)
        if before.state == "included":
            raise NothingToFetch(info.title)
        if before.state not in ("ready", "fetching") and not self._licenses.holds(info):
            raise LicenseNotAccepted(engine, info.title, info.license, info.restriction)
        with self._lock:
            running = self._fetches.get(engine)
            if self._closing or before.state == "ready" or (running and running.status.state == "fetching"):
                return
            fetch = _Fetch(WeightsStatus("fetching", before.done_bytes, before.all_bytes), threading.Event())
            fetch.thread = threading.Thread(target=self._run, args=(engine, fetch), name=f"weights-{engine}", daemon=True)
            self._fetches[engine] = fetch
        fetch.thread.start()

    def bring(self, engine: str) -> None:
        """Fetch what is missing, and wait until all is here; an engine without weights to fetch has them.

        Raises EngineUnknown, LicenseNotAccepted, FetchCancelled, DiskFull, DiskReadOnly, and EngineUnavailable where they cannot be had.
        """
        if self.status(engine).state in ("included", "ready"):
            return
        self.begin(engine)
        fetch = self._fetches.get(engine)
        if fetch is not None:  # the studio may be closing
            fetch.thread.join()
        status = self.status(engine)
        if status.state == "cancelled":
            raise FetchCancelled(hint=RESUME)
        failure = fetch.failure if fetch is not None and status.state == "failed" else None
        if failure is not None and (isinstance(failure, DiskFull | DiskReadOnly) or "sentence" in failure.values):
            raise failure  # which says more than that it failed
        if status.state != "ready":
            raise EngineUnavailable(
                sentence="weights_not_fetched", detail=f"{status.reason} {status.hint}".strip(), engine=self._info(engine).title
            )

    def cancel(self, engine: str) -> None:
        """Stop fetching at the next piece; what has arrived stays. Nothing where none runs. Raises EngineUnknown."""
        self._info(engine)
        fetch = self._fetches.get(engine)
        if fetch is not None:
            fetch.cancelled.set()

    def replace_source(self, engine: str, source: WeightsSource) -> None:
        """It opens other weights from now on. A fetch of the former stops; what has arrived of them stays."""
        with self._lock:
            fetch = self._fetches.pop(engine, None)
            self._sources[engine] = source
            self._here.discard(engine)
        if fetch is not None:
            fetch.cancelled.set()

    def close(self) -> None:
        with self._lock:
            self._closing = True
            fetches = list(self._fetches.values())
        for fetch in fetches:
            fetch.cancelled.set()
        for fetch in fetches:
            fetch.thread.join(CLOSING_SECONDS)

    # --- private

    def _info(self, engine: str) -> EngineInfo:
        if engine not in self._infos:
            raise EngineUnknown(engine, tuple(self._infos))
        return self._infos[engine]

    def _run(self, engine: str, fetch: _Fetch) -> None:
        def progress(done_bytes: int, all_bytes: int | None) -> None:
            if fetch.cancelled.is_set():
                raise FetchCancelled(hint=RESUME)
            status = fetch.status
            done_bytes = max(done_bytes, status.done_bytes) if fetch.told else done_bytes
            fetch.told = True
            fetch.status = replace(status, done_bytes=done_bytes, all_bytes=all_bytes or status.all_bytes)

        try:
            self._sources[engine].fetch(progress, fetch.cancelled.is_set)
        except Exception as error:
            if fetch.cancelled.is_set() and isinstance(error, EngineError):  # however the downloader words it
                fetch.status = replace(fetch.status, state="cancelled")
                return
            fetch.failure = self._failure(engine, error)
            fetch.status = _failed(fetch.status, fetch.failure)
        else:
            with self._lock:
                if self._fetches.get(engine) is not fetch:  # it opens other weights by now
                    return
                self._here.add(engine)
            fetch.status = replace(fetch.status, state="ready")
            for listener in self._listeners:
                listener(engine)

    def _failure(self, engine: str, error: Exception) -> EngineError:
        """What is told of it: what the disk says, however the downloader words it; else what was raised, in words that name no path."""
        refused = disk_error(error.__cause__ if isinstance(error, EngineError) else error, WEIGHTS_SETTING)
        if refused is not None:
            log.warning("the weights of %s could not be written: %s", engine, refused.fact)
            return refused
        if isinstance(error, EngineError):
            return error.of_engine(self._info(engine).title)
        log.error("the weights of %s could not be fetched", engine, exc_info=error)
        return EngineUnavailable(sentence="weights_not_fetched", detail=type(error).__name__, engine=self._info(engine).title)


def _failed(status: WeightsStatus, error: EngineError) -> WeightsStatus:
    return replace(status, state="failed", reason=error.fact, hint=error.hint, code=error.code, values=error.values)
