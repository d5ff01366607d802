"""RemoteUrl: an http(s) URL in its plain form. Every other spelling is refused, so that no two readers can take it for different hosts."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import quote, urljoin

__all__ = ["RemoteUrl", "UrlRefused"]

DEFAULT_PORTS = {"http": 80, "https": 443}
MOST_URL_CHARACTERS = 8192  # signed URLs of object stores have 2000 or so; what servers commonly take

# The authority is a host and perhaps a port: no user name, no percent sign, no backslash, no letter beyond ASCII.
_URL = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?([/?][^#]*)?(?:#.*)?", re.IGNORECASE | re.ASCII)
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")  # a last label of this form makes the host an IPv4 address (WHATWG URL, "ends in a number")
_MOST_HOST_CHARACTERS = 253  # RFC 1035
_UNSENDABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")  # control characters and halves of characters
_SENT_AS_IS = "/?:@!$&'()*+,;=~%"  # in path and query (RFC 3986); the rest is percent-encoded


class UrlRefused(ValueError):
    """Not a URL of the plain form."""


@dataclass(frozen=True)
class RemoteUrl:
    """scheme: "http" or "https". host: a name or an address (IPv6 without brackets), lower case. port: any number of five digits.

    target: path and query, ASCII.
    """

    scheme: str
    host: str
    port: int
    target: str

    @classmethod
    def of(cls, text: str) -> "RemoteUrl":
        """Raises UrlRefused."""
        match = _URL.fullmatch(text) if len(text) <= MOST_URL_CHARACTERS and not _UNSENDABLE.search(text) else None
        if match is None:
            raise UrlRefused("not a plain http(s) URL")
        scheme, port, target = match[1].lower(), match[3], match[4] or ""
        path = target if target.startswith("/") else "/" + target
        return cls(scheme, _host(match[2].lower()), int(port or DEFAULT_PORTS[scheme]), quote(path, safe=_SENT_AS_IS))

    @property
    def authority(self) -> str:
        """As the Host header has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def joined(self, location: str) -> "RemoteUrl":
        """Where a redirect from here leads. Raises UrlRefused."""
        try:
            return RemoteUrl.of(urljoin(f"{self.scheme}://{self.authority}{self.target}", location))
        except ValueError as error:  # urljoin's, too
            raise UrlRefused("a redirect to no plain http(s) URL") from error


def _host(host: str) -> str:
    try:
        if host.startswith("["):
            return str(IPv6Address(host[1:-1]))
        labels = host.split(".")
        if _NUMBER.fullmatch(labels[-1]):
            return str(IPv4Address(host))  # four decimal numbers and nothing else
    except ValueError:
        raise UrlRefused("an address in another spelling") from None
    if len(host) > _MOST_HOST_CHARACTERS or not all(map(_LABEL.fullmatch, labels)):
        raise UrlRefused("no host name")
    return host
