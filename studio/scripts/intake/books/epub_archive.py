"""The archive of an EPUB, opened as one from a stranger: what is in it is bounded, read by name, and written nowhere."""

import io
import posixpath
import zipfile
import zlib
from urllib.parse import unquote

from studio.errors import ScriptFileUnusable
from studio.scripts.intake.books.markup_tree import MarkupNode, markup_tree

__all__ = ["EpubArchive"]

MOST_ENTRIES = 20_000
MOST_ENTRY_BYTES = 32 << 20
MOST_READ_BYTES = 128 << 20  # all together
_MOST_RATIO, _LEAST_RATIO_BYTES = 200, 1 << 20  # prose packs to a third; only what is made to fill a disk packs to a two hundredth
_FONT_OBFUSCATION = frozenset(("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"))
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, OSError, OverflowError)


class EpubArchive:
    """read: raises ScriptFileUnusable for what is too large, encrypted or damaged."""

    def __init__(self, data: bytes):
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            self._entries = {info.filename: info for info in self._archive.infolist()}
        except _BROKEN as error:
            raise ScriptFileUnusable(sentence="script_file_damaged") from error
        if len(self._entries) > MOST_ENTRIES:
            raise ScriptFileUnusable(sentence="script_file_bomb")
        self._folded = {name.casefold(): name for name in self._entries}
        self._n_read_bytes = 0

    @property
    def names(self) -> tuple[str, ...]:
        """Of all that is in it."""
        return tuple(self._entries)

    def find(self, path: str, base: str = "") -> str:
        """The name of the entry to which a link from the file `base` leads; "" for none."""
        path = unquote(path.partition("#")[0].partition("?")[0])
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(base), path)) if path else base
        return joined if joined in self._entries else self._folded.get(joined.casefold(), "")

    def read(self, name: str) -> bytes:
        """Raises KeyError where there is none of that name."""
        info = self._entries[name]
        if info.flag_bits & 1:
            raise ScriptFileUnusable(sentence="script_file_encrypted")
        is_bomb = info.file_size > _LEAST_RATIO_BYTES and info.file_size > _MOST_RATIO * max(info.compress_size, 1)
        if is_bomb or info.file_size > MOST_ENTRY_BYTES or self._n_read_bytes + info.file_size > MOST_READ_BYTES:
            raise ScriptFileUnusable(sentence="script_file_bomb")
        try:
            with self._archive.open(info) as file:
                data = file.read(info.file_size + 1)
        except _BROKEN as error:
            raise ScriptFileUnusable(sentence="script_file_damaged") from error
        if len(data) > info.file_size:
            raise ScriptFileUnusable(sentence="script_file_bomb")
        self._n_read_bytes += len(data)
        return data

    def tree(self, name: str) -> MarkupNode:
        """Of an XML file; an empty one where there is none of that name."""
        return markup_tree(self.read(name).decode("utf-8-sig", "replace")) if name in self._entries else MarkupNode("")

    def check_readable(self) -> None:
        """Raises ScriptFileUnusable where a shop encrypted the book. Fonts may be scrambled: nobody reads them."""
        for encrypted in self.tree(self.find("META-INF/encryption.xml")).all("encrypteddata"):
            method = encrypted.first("encryptionmethod")
            if method is None or method.attributes.get("algorithm") not in _FONT_OBFUSCATION:
                raise ScriptFileUnusable(sentence="script_file_encrypted")
