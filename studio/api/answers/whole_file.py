"""Whole files of an answer, sent piece by piece. The server's buffers never hold more than one piece of a file."""

from collections.abc import Callable

from starlette.types import Send

from studio.audio.file_encoder import EncodedFile
from studio.running.threads import Threads

__all__ = ["send_file"]

BLOCK_BYTES = 3 << 16  # a multiple of 3, so that pieces of base64 join without padding


async def send_file(
    file: EncodedFile, send: Send, threads: Threads, packed: Callable[[bytes], bytes] = bytes, *, is_last: bool = False
) -> None:
    """As parts of a body. packed: what is sent for a piece of the file, as base64; made on a thread.

    is_last: the body ends with the file. Nothing is left to be done then when its last bytes go out: whoever has them may leave at once,
    and has not hung up.
    """
    for left in range(max(len(file), 1), 0, -BLOCK_BYTES):
        block = await threads.run(lambda: packed(file.read(BLOCK_BYTES)))
        goes_on = left > BLOCK_BYTES or not is_last
        await send({"type": "http.response.body", "body": block, "more_body": goes_on})
