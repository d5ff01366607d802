"""RemoteAudio: fetches reference audio from an http(s) URL of the public internet, within a time and a size.

It blocks: for a worker thread.

Whoever sends a request chooses where this connects to, so it must not become a way into the network around it. The host is looked up once
per hop; one address among the answers that is not public refuses the hop, before anything is dialled; what is dialled are those very
addresses, so that a second lookup with another answer cannot happen. Proxies from the environment are not used: they would look up again.
All refusals are one answer, since telling a closed port from a missing name or a private address would make this a scanner.
"""

import functools
import logging
import ssl
import threading
import time
from collections.abc import Callable, Container, Iterable
from concurrent.futures import Future

import httpcore

from studio import __version__
from studio.audio.decode import MOST_UPLOAD_BYTES
from studio.errors import AudioTooLarge, FetchesBusy, RequestInvalid
from studio.reference.public_address import Resolve, addresses_of, is_public
from studio.reference.remote_url import RemoteUrl, UrlRefused

__all__ = ["MOST_SECONDS", "RemoteAudio"]

log = logging.getLogger("studio.remote_audio")

MOST_SECONDS = 10.0  # for everything: lookups, redirects, handshakes, the last byte; vLLM's default for one of its four attempts
MOST_REDIRECTS = 3
MOST_FETCHES = 16  # at one time; each may hold a thread for 10 s and memory for 10 MiB
MOST_DIALLED = 4  # of the addresses of one host
RETRY_AFTER_SECONDS = 1
# Recordings are published on the web's own ports. Any other would let a caller probe other people's machines from here, by how long
# a refusal takes.
PORTS = frozenset({80, 443})
REDIRECTS = (301, 302, 303, 307, 308)
HEADERS = {
    "User-Agent": f"voice-cloning-studio/{__version__}",
    "Accept": "audio/*, */*;q=0.5",
    "Accept-Encoding": "identity",  # and a body that is compressed all the same is never unpacked
    "Connection": "close",
}


class _Refused(Exception):
    """For the log alone: why a fetch ended."""


FAILURES = (_Refused, UrlRefused, OSError, ValueError, httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException)


class RemoteAudio:
    """One per studio, usable from any thread.

    resolve, is_public: how names are looked up, which addresses may be dialled. ports: that URLs may name. tls: trusted authorities,
    the usual ones when None. most_seconds, clock: of one fetch, in seconds.
    """

    def __init__(
        self,
        *,
        resolve: Resolve = addresses_of,
        is_public: Callable[[str], bool] = is_public,
        ports: Container[int] = PORTS,
        tls: ssl.SSLContext | None = None,
        most_seconds: float = MOST_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._resolve = resolve
        self._is_public = is_public
        self._ports = ports
        self._given_tls = tls
        self._most_seconds = most_seconds
        self._clock = clock
        self._slots = threading.Semaphore(MOST_FETCHES)

    def fetch(self, url: str) -> bytes:
        """The body at a URL, at most MOST_UPLOAD_BYTES. Raises RequestInvalid (the same for every cause), FetchesBusy, AudioTooLarge."""
        if not self._slots.acquire(blocking=False):
            raise FetchesBusy(MOST_FETCHES, RETRY_AFTER_SECONDS)
        try:
            return self._follow(RemoteUrl.of(url), _Deadline(self._most_seconds, self._clock))
        except FAILURES as error:
            log.info("reference audio was not fetched: %s: %r", type(error).__name__, str(error))  # never the URL, which may be signed
            raise _unreachable() from None
        finally:
            self._slots.release()

    def _follow(self, url: RemoteUrl, deadline: "_Deadline") -> bytes:
        """Redirects by hand, since each leads to another host, which must be checked like the first."""
        for _ in range(1 + MOST_REDIRECTS):
            answer = self._get(url, deadline)
            if isinstance(answer, bytes):
                return answer
            url = answer
        raise _Refused("too many redirects")

    def _get(self, url: RemoteUrl, deadline: "_Deadline") -> bytes | RemoteUrl:
        """The body, or where a redirect leads."""
        backend = _Pinned(self._checked_addresses(url, deadline), deadline)
        tls = self._tls if url.scheme == "https" else None
        asked = httpcore.URL(scheme=url.scheme, host=url.host, port=url.port, target=url.target)
        headers: dict[bytes | str, bytes | str] = {"Host": url.authority, **HEADERS}
        with (
            httpcore.ConnectionPool(ssl_context=tls, network_backend=backend, retries=0) as pool,
            pool.stream("GET", asked, headers=headers) as response,
        ):
            found = {name.lower(): value for name, value in response.headers}
            if response.status in REDIRECTS:
                return url.joined(found.get(b"location", b"").decode("utf-8", "replace"))
            if response.status != 200:
                raise _Refused(f"status {response.status}")
            return _body(response, found.get(b"content-length", b""))

    def _checked_addresses(self, url: RemoteUrl, deadline: "_Deadline") -> tuple[str, ...]:
        if url.port not in self._ports:
            raise _Refused("a port that is not the web's")
        addresses = self._looked_up(url, deadline)
        if not addresses:
            raise _Refused("no address")
        if not all(map(self._is_public, addresses)):
            raise _Refused("an address that is not public")
        return addresses[:MOST_DIALLED]

    def _looked_up(self, url: RemoteUrl, deadline: "_Deadline") -> tuple[str, ...]:
        """On a thread that is left to itself at the deadline, since the system's resolver knows none; it gives up after half a minute."""
        found: Future[tuple[str, ...]] = Future()

        def look_up() -> None:
            try:
                found.set_result(tuple(self._resolve(url.host, url.port)))
            except BaseException as error:
                found.set_exception(error)

        threading.Thread(target=look_up, name="lookup", daemon=True).start()
        return found.result(deadline.remaining())

    @functools.cached_property
    def _tls(self) -> ssl.SSLContext:
        return self._given_tls or httpcore.default_ssl_context()


class _Deadline:
    """A moment. A limit per read would never end a server that sends one byte now and then."""

    def __init__(self, seconds: float, clock: Callable[[], float]):
        self._clock = clock
        self._end = clock() + seconds

    def remaining(self) -> float:
        """Seconds, more than none. Raises TimeoutError."""
        remaining = self._end - self._clock()
        if remaining <= 0:
            raise TimeoutError("the time is over")
        return remaining


class _Pinned(httpcore.NetworkBackend):
    """Dials the addresses that were checked, whatever the name; certificate, SNI and Host stay the name's."""

    def __init__(self, addresses: tuple[str, ...], deadline: _Deadline):
        self._addresses = addresses
        self._deadline = deadline
        self._dialler = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[tuple] | None = None,
    ) -> httpcore.NetworkStream:
        for n_left in range(len(self._addresses), 0, -1):
            share = self._deadline.remaining() / n_left  # so that a first address that never answers leaves time for the next
            try:
                return _Timed(self._dialler.connect_tcp(self._addresses[-n_left], port, share), self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if n_left == 1:
                    raise
        raise _Refused("no address")


class _Timed(httpcore.NetworkStream):
    """A connection on which no wait goes beyond the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: _Deadline):
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.remaining())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.remaining())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Timed(self._stream.start_tls(ssl_context, server_hostname, self._deadline.remaining()), self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


def _body(response: httpcore.Response, declared: bytes) -> bytes:
    """Cut as soon as it is too large. declared: its Content-Length, in digits, if any."""
    if declared.isdigit() and int(declared) > MOST_UPLOAD_BYTES:
        raise AudioTooLarge(int(declared), MOST_UPLOAD_BYTES)
    body = bytearray()
    for part in response.iter_stream():
        body += part
        if len(body) > MOST_UPLOAD_BYTES:
            raise AudioTooLarge(len(body), MOST_UPLOAD_BYTES)
    return bytes(body)


def _unreachable() -> RequestInvalid:
    return RequestInvalid(
        "remote_audio_unreachable",
        "The reference audio could not be fetched from a public internet address.",
        "ref_audio",
        "The URL must lead to the file itself, without a login, on port 80 or 443 of a public host (its name in plain letters), "
        f"within {MOST_SECONDS:.0f} s and {MOST_REDIRECTS} redirects. Otherwise send the recording as a base64 data URL.",
    )
