"""AcceptedLicences: which licences that forbid uses somebody has accepted for this studio; remembered in one file."""

import json
import logging
import threading
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

from engines.contract.contract import EngineInfo
from studio.storage.durable import StagedFile, sync_directory

__all__ = ["AcceptedLicences"]

log = logging.getLogger("studio")


class AcceptedLicences:
    """Thread-safe. An engine whose licence forbids nothing needs no acceptance; one whose terms have changed needs another.

    file: JSON, engine -> {licence, restriction, accepted_at}; None keeps them in memory. by_settings: engines that the operator accepted.
    """

    def __init__(self, file: Path | None = None, by_settings: Collection[str] = ()):
        self._file = file
        self._by_settings = frozenset(by_settings)
        self._lock = threading.Lock()
        self._accepted: dict[str, dict[str, str]] = self._read()

    def holds(self, info: EngineInfo) -> bool:
        """Whether the weights may be fetched as far as the licence goes."""
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
                staged = StagedFile(self._file.parent, [json.dumps(accepted, indent=1).encode()])
                try:
                    staged.publish(self._file)
                finally:
                    staged.discard()
                sync_directory(self._file.parent)
            self._accepted = accepted

    def _read(self) -> dict[str, dict[str, str]]:
        """What cannot be read was not accepted: it is asked for again."""
        if self._file is None or not self._file.is_file():
            return {}
        try:
            read = json.loads(self._file.read_text("utf-8"))
            return {str(name): dict(terms) for name, terms in read.items()}
        except (OSError, ValueError, AttributeError, TypeError) as error:
            log.warning("accepted licences cannot be read and are asked for again: %s", type(error).__name__)
            return {}


def _terms(info: EngineInfo) -> dict[str, str]:
    return {"licence": info.licence, "restriction": info.restriction}
