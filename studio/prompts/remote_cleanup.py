"""RemoteCleanup: takes back from other machines what nobody here has any more.

Data of a stored speaker, a cached prompt or a running speech may stay.

A voice that is deleted leaves memory and disk at once; where a far engine has left its recording on another machine, this has it taken
back. It is said in digests of everything that may stay, so that nothing has to be remembered of what is gone, whoever deleted it, when,
and whether the engine was open then.
"""

import logging
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial

from engines.contract.contract import Engine
from engines.errors import EngineError
from studio.prompt_key import PromptKey
from studio.prompts.cache import SpeakerCache
from studio.prompts.source import from_speaker
from studio.running.pool import EnginePool
from studio.speakers.file import SpeakerFileBad, read_speaker
from studio.speakers.store import SpeakerStore
from studio.storage.trash import Trash

__all__ = ["RemoteCleanup"]

AGAIN_SECONDS = 15.0  # after a sweep that failed

log = logging.getLogger("studio")


def _later(seconds: float, call: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()


class RemoteCleanup:
    """Thread-safe. Nobody waits for a sweep: it has a thread of the engine's.

    trash: files of speakers whose deletion may be undone; they count as stored. later(seconds, call): the clock.
    """

    def __init__(
        self,
        store: SpeakerStore,
        cache: SpeakerCache,
        pool: EnginePool,
        trash: Trash,
        later: Callable[[float, Callable[[], None]], None] = _later,
    ):
        self._store = store
        self._cache = cache
        self._pool = pool
        self._trash = trash
        self._later = later
        self._lock = threading.Lock()
        self._asked: set[str] = set()  # engines of which a sweep was asked for that has not begun
        self._used: Counter[tuple[str, str]] = Counter()  # by engine and digest of the source
        self._sweeping: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def clean_up(self, engine: str | None = None) -> None:
        """Have that engine, or all that run elsewhere, take back what nobody has. Of many that are asked for at once one or two are made.

        One that is not open does it when it is opened; one that was open before, and may have left something, is opened for that.
        """
        for name in self._pool.far & {engine} if engine else self._pool.far:
            with self._lock:
                if name in self._asked:
                    continue
                self._asked.add(name)
            worker = self._pool.worker(name)
            if not worker.tell(partial(self.clean_up_now, name)):
                with self._lock:
                    self._asked.discard(name)
                if worker.extractor is not None:
                    worker.begin_loading()

    def clean_up_now(self, name: str, engine: Engine) -> None:
        """The same at once, on this thread, of an engine that is open."""
        with self._lock:
            turn = self._sweeping[name]
        with turn:
            with self._lock:
                self._asked.discard(name)
            try:
                engine.keep_only(self._kept(name))
            except CancelledError:
                log.info("what %s has left elsewhere is taken back at its next opening: it is being closed", name)
            except Exception as error:
                told = log.warning if isinstance(error, EngineError | OSError) else log.exception
                told("what %s has left elsewhere of deleted speakers is not taken back yet: %s", name, error)
                self._later(AGAIN_SECONDS, partial(self.clean_up, name))

    @contextmanager
    def using(self, key: PromptKey) -> Iterator[None]:
        """While an engine is at work with that prompt, what it needs elsewhere stays there; afterwards only what somebody has."""
        if key.engine not in self._pool.far:
            yield
            return
        used = key.engine, key.source_digest
        with self._lock:
            self._used[used] += 1
        try:
            yield
        finally:
            with self._lock:
                self._used[used] -= 1
                self._used += Counter()  # which drops what is at nothing
            if not self._cache.contains(key):
                self.clean_up(key.engine)

    def _kept(self, engine: str) -> frozenset[str]:
        """Digests of all sources that may stay. Raises SpeakersUnreachable, OSError."""
        aside = self._digests_aside()  # before the store, for who comes back meanwhile; and after it, for who goes
        stored = {from_speaker(speaker).digest for speaker in self._store.speakers()}
        entries, _ = self._cache.look()
        cached = {entry.key.source_digest for entry in entries if entry.key.engine == engine}
        with self._lock:
            used = {digest for name, digest in self._used if name == engine}
        return frozenset(aside | stored | cached | used | self._digests_aside())

    def _digests_aside(self) -> set[str]:
        found = set()
        for path in self._trash.files():
            try:
                found.add(from_speaker(read_speaker(path).speaker).digest)
            except (FileNotFoundError, SpeakerFileBad):  # it is gone by now, or nobody can bring it back
                continue
        return found
