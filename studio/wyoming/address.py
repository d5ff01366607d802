"""WyomingAddress: where the door listens, as --wyoming says it, and whether it may."""

import ipaddress
import socket
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from studio.settings import Settings, SettingsInvalid

__all__ = ["WyomingAddress"]

WAITING_CONNECTIONS = 128


@dataclass(frozen=True)
class WyomingAddress:
    """host, port: of TCP. path: of a Unix socket, None for TCP."""

    host: str = ""
    port: int = 0
    path: Path | None = None

    @classmethod
    def of(cls, written: str, settings: Settings) -> "WyomingAddress":
        """Raises SettingsInvalid, also for an address that a studio with keys does not listen at: the protocol has none."""
        address = cls._read(written)
        if settings.space_id:
            raise SettingsInvalid("A Space shows one port to the world, which speaks HTTP. Leave --wyoming out there.")
        if settings.api_keys and not address.is_local:
            raise SettingsInvalid(
                f"--wyoming {written} does not go with STUDIO_API_KEYS, since Wyoming knows no keys. "
                "Listen at tcp://127.0.0.1 or unix://, or unset them."
            )
        return address

    @classmethod
    def _read(cls, written: str) -> "WyomingAddress":
        try:
            parts = urlsplit(written)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port, parts = None, None, urlsplit("")
        if parts.scheme == "tcp" and host and port is not None and not parts.path.strip("/"):
            return cls(host, port)
        if parts.scheme == "unix" and parts.path and not parts.netloc:
            return cls(path=Path(parts.path))
        raise SettingsInvalid(f"--wyoming takes tcp://HOST:PORT or unix:///PATH, and {written!r} is neither.")

    @property
    def is_local(self) -> bool:
        """Whether nobody but this machine reaches it."""
        if self.path is not None or self.host == "localhost":
            return True
        with suppress(ValueError):
            return ipaddress.ip_address(self.host).is_loopback
        return False

    def listen_unix(self) -> socket.socket:
        """A listening socket that its owner alone may open. Raises OSError, where somebody listens there or something else is."""
        if sys.platform == "win32":
            raise OSError("Python has no Unix sockets on Windows. Listen at tcp://127.0.0.1:10200.")
        path = self.path
        assert path is not None  # else nobody asks for a Unix socket
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            if _is_left_behind(path):
                path.unlink()
            listener.bind(str(path))
            path.chmod(stat.S_IRUSR | stat.S_IWUSR)
        except OSError as error:
            listener.close()
            raise OSError(f"Cannot listen on unix://{path}: {error.strerror or error}. Choose another path with --wyoming.") from None
        listener.listen(WAITING_CONNECTIONS)
        return listener


def _is_left_behind(path: Path) -> bool:
    """Whether it is a socket on which nobody listens any more."""
    if sys.platform == "win32" or not path.is_socket():
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return True
    return False
