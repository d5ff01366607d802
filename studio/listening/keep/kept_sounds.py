"""KeptSounds: the sound files of tests, a folder for each. A file counts only after a check that it is the frozen one."""

import hashlib
import secrets
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from engines.durable import remove_file, sync_directory
from studio.errors import TestDamaged
from studio.listening.keep.heard_words import HEARD
from studio.listening.keep.test import ListeningTest, frozen_hash_of
from studio.listening.plan.design import Item
from studio.listening.plan.uploads import UPLOADS, Uploads

__all__ = ["TAKES", "KeptSounds"]

TAKES = "takes"  # below a test's folder: what was spoken, as it was, until the test is frozen


class KeptSounds:
    """folder: of all tests' folders; each is made by whoever writes to it."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._intact: set[tuple[str, str]] = set()  # (item, hash) of files that were looked at in this process

    def folder(self, test_id: str) -> Path:
        """Of one test."""
        return self._folder / test_id

    def path(self, test_id: str, item: str) -> Path:
        return self.folder(test_id) / f"{item}.wav"

    def uploads(self, test_id: str) -> Uploads:
        return Uploads(self.folder(test_id))

    def remove(self, test_id: str) -> bool:
        """Whether all of it is gone: what somebody has open stays, and nobody asks for it any more."""
        shutil.rmtree(self.folder(test_id), ignore_errors=True)
        return not self.folder(test_id).exists()

    def remove_sounds(self, test_id: str, items: Iterable[str]) -> None:
        """Those alone, by the ids of their items."""
        for item in items:
            with suppress(OSError):  # as `remove`
                remove_file(self.path(test_id, item))

    def changed(self, before: ListeningTest, after: ListeningTest) -> ListeningTest:
        """`after`, without the sounds that a draft had before and has no more."""
        self.remove_sounds(after.id, {item.id for item in before.items} - {item.id for item in after.items})
        return after

    def copied(self, test: ListeningTest, to: str) -> tuple[Item, ...]:
        """The sounds of a test for a new one, under other names, with all that it was made of; () of what is damaged. Raises OSError."""
        before, after = self.folder(test.id), self.folder(to)
        after.mkdir(parents=True, exist_ok=True)
        for part in (TAKES, UPLOADS):
            if (before / part).is_dir():
                shutil.copytree(before / part, after / part)
        if (before / HEARD).is_file():
            shutil.copyfile(before / HEARD, after / HEARD)
        try:
            self.check(test)
        except TestDamaged:
            return ()
        items = tuple(replace(item, id=secrets.token_hex(16)) for item in test.items)
        for item, copy in zip(test.items, items, strict=True):
            shutil.copyfile(self.path(test.id, item.id), self.path(to, copy.id))
        sync_directory(after)
        return items

    def keep_only(self, test: ListeningTest) -> None:
        """What a frozen test is heard with: without what it was made of, and what renderings left that were killed."""
        shutil.rmtree(self.folder(test.id) / TAKES, ignore_errors=True)
        known = {item.id for item in test.items}
        self.remove_sounds(test.id, {path.stem for path in self.folder(test.id).glob("*.wav")} - known)

    def read(self, test: ListeningTest, item: Item) -> bytes:
        """A whole file. Raises TestDamaged."""
        try:
            data = self.path(test.id, item.id).read_bytes()
        except FileNotFoundError:
            raise TestDamaged from None
        if (item.id, item.sha256) not in self._intact:
            if hashlib.sha256(data).hexdigest() != item.sha256:
                raise TestDamaged
            self._intact.add((item.id, item.sha256))
        return data

    def check(self, test: ListeningTest) -> None:
        """Plan and all sounds, each file once per process. Raises TestDamaged."""
        if test.frozen_hash and test.frozen_hash != frozen_hash_of(test.plan, test.items):
            raise TestDamaged
        for item in test.items:
            if (item.id, item.sha256) not in self._intact:
                self.read(test, item)
