"""Windows' file rules, played on Linux below one folder: what a process meets there that opens files as CPython does.

Who has a file open or mapped, native libraries included, is asked of /proc: of this process and of the children that play the same rules.
What no rule of files tells (text mode, locks of byte ranges, antivirus) is not played.
"""

import builtins
import io
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EEXIST, EINVAL, ENOENT
from pathlib import Path
from types import SimpleNamespace

from filelock import _unix

__all__ = ["WindowsFiles", "windows_files"]

ROOT_VARIABLE, PROCESSES = "WINDOWS_FILES_BELOW", ".windows-processes"
CHILD = Path(__file__).parent  # whose sitecustomize plays the rules in children
MOST_PATH = 259  # MAX_PATH without its final zero
RESERVED = re.compile(r'(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?|.*[<>:"|?*\x00-\x1f].*|.*[. ]', re.IGNORECASE | re.DOTALL)
ABSENT = ("O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "O_PATH", "O_TMPFILE", "mkfifo")
DENIED, IN_USE, EXISTS, BAD_NAME, TOO_LONG, NO_RIGHT, MAPPED = 5, 32, 183, 123, 206, 1314, 1224  # winerror.h
ERRORS = {
    DENIED: (EACCES, "Access is denied"),
    IN_USE: (EACCES, "The process cannot access the file because it is being used by another process"),
    EXISTS: (EEXIST, "Cannot create a file when that file already exists"),
    BAD_NAME: (EINVAL, "The filename, directory name, or volume label syntax is incorrect"),
    TOO_LONG: (ENOENT, "The filename or extension is too long"),
    NO_RIGHT: (EINVAL, "A required privilege is not held by the client"),
    MAPPED: (EINVAL, "The requested operation cannot be performed on a file with a user-mapped section open"),
}
OF_ONE_PATH = ("access", "chmod", "listdir", "lstat", "mkdir", "readlink", "rmdir", "scandir", "stat", "utime")
ONE, TWO, OPENS = ("unlink", "remove", "truncate"), ("rename", "replace", "link", "symlink"), ("open",)
_REAL = {name: getattr(os, name) for name in (*OF_ONE_PATH, *ONE, *TWO, *OPENS, "ftruncate")}
_OPEN = builtins.open


def _error(winerror: int, *paths: str) -> OSError:
    number, text = ERRORS[winerror]
    error = OSError(number, text, *paths[:1], *([winerror, *paths[1:]] if paths[1:] else []))
    error.winerror = winerror
    return error


class WindowsFiles:
    """The rules below one folder. Paths elsewhere are the system's own affair."""

    def __init__(self, root: Path):
        self._root = os.path.realpath(root)
        self._processes = os.path.join(self._root, PROCESSES)

    def patches(self) -> Iterator[tuple[object, str, Callable]]:
        """(where, name, what stands there instead)."""
        for name in OF_ONE_PATH:
            yield os, name, self._of_one(name)
        for name in (*ONE, *TWO, *OPENS, "ftruncate"):
            yield os, name, getattr(self, f"_{name}")
        for module in (builtins, io):
            yield module, "open", self._open_file

    def is_held(self, path: str) -> int:
        """IN_USE where somebody has it open, or a file below it; DENIED where it is mapped; else 0."""
        real = os.path.realpath(path)
        below = f"{real}/"
        for process in self._players():
            for opened in _opened_by(process):
                if opened == real or opened.startswith(below):
                    return IN_USE
        return DENIED if self.is_mapped(real) else 0

    def is_mapped(self, path: str) -> bool:
        """What is not there is mapped by nobody; to ask costs milliseconds per process, which has thousands of pieces of memory."""
        real = os.path.realpath(path)
        return os.path.lexists(real) and any(f" {real}\n" in _maps_of(process) for process in self._players())

    def join(self) -> None:
        """This process plays too, and what it holds is seen by the others."""
        Path(self._processes).mkdir(exist_ok=True)
        Path(self._processes, str(os.getpid())).touch()

    def _players(self) -> set[str]:
        """Numbers of processes, dead ones among them."""
        return {*_REAL["listdir"](self._processes), str(os.getpid())}

    # --- names

    def _named(self, path: object) -> object:
        """The path as the file system has it. Raises OSError for a name that Windows refuses."""
        if isinstance(path, int) or path is None:
            return path
        text = os.path.abspath(os.fsdecode(path))
        if text != self._root and not text.startswith(f"{self._root}/"):
            return path
        if len(text) > MOST_PATH:
            raise _error(TOO_LONG, text)
        if any(RESERVED.fullmatch(part) for part in text[len(self._root) + 1 :].split("/")):
            raise _error(BAD_NAME, text)
        return self._in_its_case(text)

    def _in_its_case(self, path: str) -> str:
        try:
            _REAL["lstat"](path)
            return path
        except OSError:
            pass
        folder, name = os.path.split(path)
        if path == self._root:
            return path
        folder = self._in_its_case(folder)
        with suppress(OSError):
            name = next((other for other in _REAL["listdir"](folder) if other.casefold() == name.casefold()), name)
        return os.path.join(folder, name)

    def _is_ours(self, path: object) -> bool:
        return isinstance(path, str) and path.startswith(f"{self._root}/")

    # --- what os has

    def _of_one(self, name: str) -> Callable:
        def call(path: object = ".", *arguments: object, **named: object) -> object:
            _no_descriptors(named)
            return _REAL[name](self._named(path), *arguments, **named)

        return call

    def _open(self, path: object, flags: int, mode: int = 0o777, **named: object) -> int:
        _no_descriptors(named)
        path = self._named(path)
        self._check_opened(path, cuts=bool(flags & os.O_TRUNC))
        return _REAL["open"](path, flags, mode)

    def _open_file(self, file: object, mode: str = "r", *arguments: object, **named: object) -> object:
        if isinstance(file, int) or named.get("opener") is not None:
            return _OPEN(file, mode, *arguments, **named)
        path = self._named(file)
        self._check_opened(path, cuts="w" in mode)
        opened = _OPEN(path if self._is_ours(path) else file, mode, *arguments, **named)
        return opened

    def _check_opened(self, path: object, *, cuts: bool) -> None:
        if self._is_ours(path):
            if os.path.isdir(path):
                raise PermissionError(EACCES, "Permission denied", path)
            if cuts and self.is_mapped(path):
                raise OSError(EINVAL, "Invalid argument", path)

    def _unlink(self, path: object, **named: object) -> None:
        _no_descriptors(named)
        path = self._named(path)
        if self._is_ours(path):
            if os.path.isdir(path) and not os.path.islink(path):
                raise _error(DENIED, path)
            if held := self.is_held(path):
                raise _error(held, path)
        _REAL["unlink"](path)

    _remove = _unlink

    def _rename(self, source: object, target: object, **named: object) -> None:
        self._move(source, target, named, replaces=False)

    def _replace(self, source: object, target: object, **named: object) -> None:
        self._move(source, target, named, replaces=True)

    def _move(self, source: object, target: object, named: dict, *, replaces: bool) -> None:
        _no_descriptors(named)
        name = os.path.basename(os.fsdecode(target))
        source, target = self._named(source), self._named(target)
        if self._is_ours(source) and (held := self.is_held(source)):
            raise _error(held, source, target)
        if self._is_ours(target) and os.path.lexists(target) and target != source:
            if not replaces:
                raise _error(EXISTS, source, target)
            if os.path.isdir(target) or self.is_held(target):
                raise _error(DENIED, source, target)
        _REAL["replace"](source, os.path.join(os.path.dirname(source), name) if target == source else target)

    def _link(self, source: object, target: object, **named: object) -> None:
        _no_descriptors(named)
        _REAL["link"](self._named(source), self._named(target))

    def _symlink(self, source: object, target: object, *_: object, **named: object) -> None:
        _no_descriptors(named)
        raise _error(NO_RIGHT, os.fsdecode(source), os.fsdecode(target))

    def _truncate(self, path: object, length: int) -> None:
        path = self._named(path)
        self._check_uncut(os.readlink(f"/proc/self/fd/{path}") if isinstance(path, int) else path)
        _REAL["truncate"](path, length)

    def _ftruncate(self, descriptor: int, length: int) -> None:
        self._truncate(descriptor, length)

    def _check_uncut(self, path: object) -> None:
        if self._is_ours(path) and self.is_mapped(path):
            raise _error(MAPPED, path)


@contextmanager
def windows_files(root: Path) -> Iterator[WindowsFiles]:
    """Play the rules below that folder, where temporary files lie too, in this process and in children that are started meanwhile."""
    from pytest import MonkeyPatch  # of which a child needs nothing

    rules = WindowsFiles(root)
    temporary = Path(root, "temporary")
    temporary.mkdir(exist_ok=True)
    with MonkeyPatch.context() as patch:
        rules.join()
        patch.setenv(ROOT_VARIABLE, str(root))
        patch.setenv("TMPDIR", str(temporary))
        patch.setenv("PYTHONPATH", str(CHILD), prepend=os.pathsep)
        patch.setattr(tempfile, "tempdir", str(temporary))
        play(rules, patch.setattr, patch.delattr)
        yield rules


def play(rules: WindowsFiles, put: Callable[..., None], take: Callable[..., None]) -> None:
    """put, take: `setattr` and `delattr`."""
    put(_unix, "os", SimpleNamespace(**vars(os)))  # which stands there for what has its own file for Windows
    put(tempfile, "TemporaryFile", tempfile.NamedTemporaryFile)  # as CPython has it there: what is open has a name
    put(shutil, "_use_fd_functions", False)
    if hasattr(shutil, "_rmtree_impl"):  # of Python 3.14 on, which chooses when it is imported
        put(shutil, "_rmtree_impl", shutil._rmtree_unsafe)
    for name in ("supports_dir_fd", "supports_fd"):
        put(os, name, set())
    for where, name, instead in list(rules.patches()):
        put(where, name, instead)
    for name in ABSENT:
        if hasattr(os, name):
            take(os, name)


def _no_descriptors(named: dict) -> None:
    """Keyword arguments without those that name a folder by its descriptor."""
    for name in ("dir_fd", "src_dir_fd", "dst_dir_fd"):
        if named.pop(name, None) is not None:
            raise RuntimeError(f"{name} unavailable on this platform")


def _opened_by(process: str) -> Iterator[str]:
    folder = f"/proc/{process}/fd"
    with suppress(OSError):
        for descriptor in _REAL["listdir"](folder):
            with suppress(OSError):
                yield _REAL["readlink"](f"{folder}/{descriptor}")


def _maps_of(process: str) -> str:
    """A line for each piece of memory, which ends with the path of the file that is mapped there."""
    with suppress(OSError), _OPEN(f"/proc/{process}/maps", encoding="utf-8", errors="surrogateescape") as maps:
        return maps.read()
    return ""
