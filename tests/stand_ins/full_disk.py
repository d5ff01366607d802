"""A disk that is full, or read-only, from one moment on: what a process meets that goes on writing to it."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

__all__ = ["refusing_disk"]

STDERR = 2


@contextmanager
def refusing_disk(number: int = errno.ENOSPC) -> Iterator[None]:
    """No byte can be written, and no file or folder made; what is there can be read, renamed and removed. number: the errno of it all.

    Within a full directory's blocks, that is: a rename takes none.
    """
    with pytest.MonkeyPatch.context() as patch:
        open_file = os.open

        def refuse(*arguments: object, **named: object) -> int:
            raise OSError(number, os.strerror(number), "/srv/secret/voices")

        def open_existing(path, flags: int, *arguments: object, **named: object) -> int:
            if flags & os.O_CREAT and not os.path.lexists(path):
                refuse()
            return open_file(path, flags, *arguments, **named)

        def write(descriptor: int, data: bytes) -> int:
            return refuse() if descriptor > STDERR else len(data)

        access = os.access

        def access_unless_read_only(path, mode: int, **named: object) -> bool:
            return not (mode & os.W_OK and number == errno.EROFS) and access(path, mode, **named)

        given = {"open": open_existing, "write": write, "mkdir": refuse, "link": refuse, "access": access_unless_read_only}
        for name, instead in given.items():
            patch.setattr(os, name, instead)
        yield
