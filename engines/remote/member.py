"""FleetMember: one server of a fleet: how to ask it, how busy it is, and whether it is left alone for a while."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Unpack

import httpx

from engines.errors import EngineError
from engines.remote.wire import RequestContent

__all__ = ["FleetMember", "Unanswered", "failure_of"]

MOST_FAILURES = 3  # in a row; then a server is left alone until it answers again
MOST_ANSWER_BYTES = 4 * 1024 * 1024  # of what is no speech: lists of voices and models, and refusals
_OF_THE_TRANSFER = (b"content-encoding", b"content-length", b"transfer-encoding")
_STALE = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)


class Unanswered(Exception):
    """A server gave no answer that sound can be made of, and another may.

    reason: in a few words, behind "The speech server". error: what is raised where no server does better; None where the same request may
    succeed a little later.
    """

    def __init__(self, reason: str, *, retry_after_seconds: int | None = None, error: EngineError | None = None):
        super().__init__(reason)
        self.reason = reason
        self.retry_after_seconds = retry_after_seconds
        self.error = error


class FleetMember:
    """Everything here belongs to the loop on which the connections are; other threads may look.

    address: base address. is_open: its circuit, so that it is asked last; reason: why. n_left_alone: how often since it spoke. in_flight:
    speeches. known: names of speakers that are registered there for sure. takes_clips: False once it refused to register any. takes_task:
    False once it refused to be told a task.
    takes_key: whether it is sent the client's key. presets: its built-in speakers, None where they are taken on trust.
    """

    def __init__(self, address: str, client: httpx.AsyncClient, *, takes_key: bool = True):
        self.address = address
        self._takes_key = takes_key
        self.in_flight = 0
        self.is_open = False
        self.n_left_alone = 0
        self.reason = ""
        self.known: set[str] = set()
        self.takes_clips = self.takes_task = True
        self.presets: frozenset[str] | None = None
        self._client = client
        self._n_failures = 0

    @contextmanager
    def busy(self) -> Iterator[None]:
        self.in_flight += 1
        try:
            yield
        finally:
            self.in_flight -= 1

    def answered(self) -> None:
        """It spoke."""
        self._n_failures, self.n_left_alone = 0, 0

    def admitted(self) -> None:
        """It answers questions again, and may be another program by now. Whether it speaks its next speech shows: one failure more, and it
        is left alone for longer."""
        self.takes_clips = self.takes_task = True
        self._n_failures, self.is_open, self.reason = MOST_FAILURES - 1, False, ""

    def failed(self, reason: str, *, at_once: bool = False) -> bool:
        """Whether that opened the circuit. Whoever comes back may have forgotten all speakers."""
        self._n_failures += 1
        self.reason = reason
        if self.is_open or (self._n_failures < MOST_FAILURES and not at_once):
            return False
        self.is_open = True
        self.n_left_alone += 1
        self.known.clear()
        return True

    async def ask(self, method: str, path: str, seconds: float, **content: Unpack[RequestContent]) -> httpx.Response:
        """A whole answer, of whatever status. Raises Unanswered where none comes within so many seconds."""
        response = await self.send(method, path, seconds, **content)
        return await self.read(response, seconds)

    async def send(self, method: str, path: str, seconds: float, **content: Unpack[RequestContent]) -> httpx.Response:
        """An answer whose body has not been read, and which the caller closes. Raises Unanswered.

        A connection that the server had closed meanwhile is no failure of its: the request is sent once more.
        """
        try:
            async with asyncio.timeout(seconds):
                try:
                    return await self._sent(method, path, content)
                except _STALE:
                    return await self._sent(method, path, content)
        except TimeoutError:
            raise Unanswered(f"does not answer within {seconds:g} s") from None
        except httpx.HTTPError as error:
            raise Unanswered(failure_of(error)) from None

    async def read(self, response: httpx.Response, seconds: float) -> httpx.Response:
        """The same with its body read, of MOST_ANSWER_BYTES at most; it is closed, whatever comes. Raises Unanswered."""
        try:
            async with asyncio.timeout(seconds):
                body = await _body_of(response)
        except TimeoutError:
            raise Unanswered(f"does not finish its answer within {seconds:g} s") from None
        except httpx.HTTPError as error:
            raise Unanswered(failure_of(error)) from None
        finally:
            await response.aclose()
        headers = [(name, value) for name, value in response.headers.raw if name.lower() not in _OF_THE_TRANSFER]
        return httpx.Response(response.status_code, headers=headers, content=body)

    async def _sent(self, method: str, path: str, content: RequestContent) -> httpx.Response:
        request = self._client.build_request(method, self.address + path, **content)
        if not self._takes_key:
            request.headers.pop("Authorization", None)
        return await self._client.send(request, stream=True)


async def _body_of(response: httpx.Response) -> bytes:
    """Raises Unanswered for one without an end."""
    body = bytearray()
    async for data in response.aiter_bytes():
        body += data
        if len(body) > MOST_ANSWER_BYTES:
            raise Unanswered("answers without end")
    return bytes(body)


def failure_of(error: httpx.HTTPError) -> str:
    """In a few words, without addresses and what the system calls it."""
    if isinstance(error, httpx.ConnectTimeout):
        return "cannot be reached in time"
    return "cannot be reached" if isinstance(error, httpx.ConnectError) else "broke the connection"
