"""CharacterMap: what SentencePiece replaces before it cuts text. The map comes with the trained model (`precompiled_charsmap`).

The map is a size (4 bytes), a trie as a double array of Darts-clone (units of 4 bytes, all little-endian), and replacements that end in a
zero byte. Bits of a unit: github.com/s-yata/darts-clone, darts.h; the map's layout: sentencepiece 0.2, normalizer.cc.
"""

import struct
from collections.abc import Iterator

import numpy as np

__all__ = ["CharacterMap"]

LABEL, LEAF, VALUE = (1 << 31) | 0xFF, 1 << 8, (1 << 31) - 1


class CharacterMap:
    """Raises ValueError for a map that leads outside of itself, when it is read or when a text leads there."""

    def __init__(self, content: bytes):
        if len(content) < 4:
            raise ValueError("the map of characters is cut off")
        size = struct.unpack_from("<I", content)[0]
        if size % 4 or not 4 <= size < len(content) - 4:
            raise ValueError("the map of characters is cut off")
        self._units = np.frombuffer(content, "<u4", size // 4, offset=4).tolist()
        self._replacements = content[4 + size :]

    def parts(self, text: str) -> Iterator[str]:
        """The text part by part: the longest that the map knows, as it wants it, or one character as it stands."""
        content, at = memoryview(text.encode()), 0
        while at < len(content):
            size, replacement = self._longest(content, at)
            if not size:
                size = _character_size(content[at])
                replacement = bytes(content[at : at + size])
            yield replacement.decode()
            at += size

    def _longest(self, content: memoryview, at: int) -> tuple[int, bytes]:
        """Bytes of the longest known beginning, and what stands for it; 0 where there is none."""
        size, value, node = 0, 0, _offset(self._unit(0))
        for n, byte in enumerate(content[at:], 1):
            node ^= byte
            unit = self._unit(node)
            if unit & LABEL != byte:
                break
            node ^= _offset(unit)
            if unit & LEAF:
                size, value = n, self._unit(node) & VALUE
        return size, self._replacement(value) if size else b""

    def _unit(self, node: int) -> int:
        if node >= len(self._units):
            raise ValueError("the map of characters is damaged")
        return self._units[node]

    def _replacement(self, first: int) -> bytes:
        end = self._replacements.find(b"\0", first)
        if not 0 <= first <= end:
            raise ValueError("the map of characters is damaged")
        return self._replacements[first:end]


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & (1 << 9)) >> 6)


def _character_size(first: int) -> int:
    """Bytes of the UTF-8 character that begins so."""
    return 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
