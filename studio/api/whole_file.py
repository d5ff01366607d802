"""Sending whole files of an answer piece by piece: the server's buffers never hold more than a piece of one."""

from collections.abc import Callable

from starlette.types import Send

from studio.api.listening import Threads
from studio.audio.file_encoder import EncodedFile

__all__ = ["send_file"]

BLOCK_BYTES = 3 << 16  # a multiple of 3, so that pieces of base64 join without padding


async def send_file(file: EncodedFile, send: Send, threads: Threads, packed: Callable[[bytes], bytes] = bytes) -> None:
    """As parts of a body that goes on. packed: what is sent for a piece of the file, as base64; made on a thread."""
    while block := await threads.run(lambda: packed(file.read(BLOCK_BYTES))):
        await send({"type": "http.response.body", "body": block, "more_body": True})
