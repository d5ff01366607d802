"""SpeakerLedger: which speakers were registered at which server, on disk. So they can be taken back, whatever dies in between."""

import hashlib
import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from filelock import FileLock

from engines.durable import put_file, remove_file, remove_leftovers, sync_directory
from engines.plain_json import read_json
from engines.remote.wire import REGISTERED

__all__ = ["LedgerRecord", "SpeakerLedger", "SpeakerState"]

LOCK, KEYS = ".lock", ".keys"
POLL_SECONDS = 0.002  # between two looks at a lock that another process has, for as long as it takes to write a file

SpeakerState = Literal["asked", "here", "owed"]
_STATES: dict[object, SpeakerState] = {"asked": "asked", "here": "here", "owed": "owed"}

log = logging.getLogger("engines.remote")


@dataclass(frozen=True)
class LedgerRecord:
    """name: at the servers. source, content: digests of the prompt, see SpeakerPrompt.

    states: base address -> "asked", a registration was begun and may have arrived; "here", it did; "owed", its deletion has not arrived.
    written_at: seconds since 1970; 0 where nothing is on disk.
    """

    name: str
    source: str
    content: str
    states: Mapping[str, SpeakerState] = field(default_factory=dict)
    written_at: float = 0.0


class SpeakerLedger:
    """One JSON file for each name. Several threads and processes may share a folder: a change is read, made and written under one lock,
    and every file is whole or absent. folder: None keeps it in memory alone. Its calls wait for the disk. Raises OSError.

    addresses: where that may be of which a damaged file told; it counts as nobody's until it is registered again.
    """

    def __init__(self, folder: Path | None, addresses: Sequence[str] = ()):
        self._folder = folder
        self._of_damaged: dict[str, SpeakerState] = dict.fromkeys(addresses, "asked")
        self._memory: dict[str, LedgerRecord] = {}
        self._lock = threading.Lock()
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            with self._locked():
                remove_leftovers(folder)

    def records(self) -> tuple[LedgerRecord, ...]:
        if self._folder is None:
            return tuple(self._memory.values())
        found = (self._read(path.stem) for path in self._folder.glob("*.json"))
        return tuple(record for record in found if record is not None)

    def give_key(self, addresses: Iterable[str], key: str) -> None:
        """Write down that these servers are given the key from now on; of a key no more than tells it from others."""
        if self._folder is None or not key:
            return
        with self._locked():
            known = self._given()
            given = known | {address: sorted({*known.get(address, ()), _trace_of(key)}) for address in addresses}
            if given != known:
                put_file(self._folder / KEYS, [json.dumps(given).encode()])

    def was_given(self, address: str, key: str) -> bool:
        """Whether that server has been given the key before."""
        return self._folder is not None and _trace_of(key) in self._given().get(address, ())

    def _given(self) -> dict[str, list[str]]:
        if self._folder is None:
            return {}
        try:
            given = read_json((self._folder / KEYS).read_text("utf-8"))
            return {str(address): list(map(str, traces)) for address, traces in given.items()}
        except (FileNotFoundError, ValueError, AttributeError, TypeError):
            return {}

    def ask(self, name: str, source: str, content: str, address: str) -> None:
        """A registration begins. A deletion that was owed there is owed no longer."""
        self._change(name, lambda states: {**states, address: "asked"}, LedgerRecord(name, source, content))

    def arrived(self, name: str, address: str) -> bool:
        """A registration was answered well. False where it is to be deleted by now."""
        states = self._change(name, lambda states: {**states, address: "here"} if states.get(address) == "asked" else states)
        return states.get(address) == "here"

    def absent(self, name: str, address: str) -> None:
        """The speaker is not there, for sure."""
        self._change(name, lambda states: {at: state for at, state in states.items() if at != address})

    def gone(self, name: str, address: str) -> None:
        """A deletion arrived. A registration that was begun meanwhile stays."""
        self._change(name, lambda states: {at: state for at, state in states.items() if at != address or state != "owed"})

    def owe(self, names: Iterable[str]) -> dict[str, frozenset[str]]:
        """From now on their deletion is owed wherever they may be: name -> base addresses."""
        return {name: frozenset(self._change(name, lambda states: dict.fromkeys(states, "owed"))) for name in names}

    def _change(
        self, name: str, change: Callable[[Mapping[str, SpeakerState]], Mapping[str, SpeakerState]], new: LedgerRecord | None = None
    ) -> Mapping[str, SpeakerState]:
        """The states afterwards, on disk; of a name of which nothing is known, none."""
        with self._locked():
            read = self._read(name)
            known = read or new
            if known is None:
                return {}
            if new is not None and not known.source:
                known = replace(new, states=known.states)
            changed = replace(known, states=change(known.states))
            if changed != read:
                self._write(changed)
            return changed.states

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._lock:
            if self._folder is None:
                yield
            else:
                with FileLock(self._folder / LOCK, poll_interval=POLL_SECONDS):
                    yield

    def _read(self, name: str) -> LedgerRecord | None:
        if self._folder is None:
            return self._memory.get(name)
        path = self._folder / f"{name}.json"
        if not REGISTERED.fullmatch(name):
            return None
        try:
            said, written_at = read_json(path.read_text("utf-8")), path.stat().st_mtime
            states: dict[str, SpeakerState] = {str(address): _STATES[state] for address, state in said["servers"].items()}
            return LedgerRecord(name, str(said["source"]), str(said["content"]), states, written_at)
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, AttributeError):
            log.error("%s is no file of a ledger: what it told of counts as nobody's, at any server", path.name)
            return LedgerRecord(name, "", "", self._of_damaged)

    def _write(self, record: LedgerRecord) -> None:
        if self._folder is None:
            self._memory.pop(record.name, None)
            self._memory |= {record.name: record} if record.states else {}
            return
        path = self._folder / f"{record.name}.json"
        if record.states:
            said = {"source": record.source, "content": record.content, "servers": dict(record.states)}
            put_file(path, [json.dumps(said, indent=1).encode()])
        else:
            remove_file(path)
        sync_directory(self._folder)


def _trace_of(key: str) -> str:
    """Of four bytes: enough to tell keys apart, and too few to find one by."""
    return hashlib.blake2b(key.encode(), digest_size=4).hexdigest()
