"""Protocol Buffers: the fields of a message, from its bytes (protobuf.dev, "Encoding"). The reader decides what they mean."""

import struct
from collections.abc import Iterator

__all__ = ["Value", "message_fields"]

Value = int | float | bytes
VARINT, DOUBLE, BYTES, SINGLE = 0, 1, 2, 5  # wire types
MOST_VARINT_BYTES = 10


def message_fields(message: bytes) -> Iterator[tuple[int, Value]]:
    """Number and value of each, in order: a whole number without sign, a float of 4 or 8 bytes, or bytes (text, messages, packed values).

    Every length that the message states is compared with what is there. Raises ValueError for what is none.
    """
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        wire, size = key & 7, {DOUBLE: 8, SINGLE: 4}.get(key & 7, 0)
        if wire == VARINT:
            value, at = _varint(message, at)
            yield key >> 3, value
            continue
        if wire == BYTES:
            size, at = _varint(message, at)
        elif not size:
            raise ValueError(f"field {key >> 3} has wire type {wire}")
        part = message[at : at + size]
        if len(part) != size:
            raise ValueError(f"field {key >> 3} of {size} bytes has {len(part)}")
        yield key >> 3, part if wire == BYTES else struct.unpack("<f" if wire == SINGLE else "<d", part)[0]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """The number that begins there, and where the next byte is."""
    value = 0
    for index, byte in enumerate(message[at : at + MOST_VARINT_BYTES]):
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value, at + index + 1
    raise ValueError("a number does not end")
