"""base_addresses: the addresses of a fleet's servers, as somebody set them, checked."""

from urllib.parse import urlsplit

from engines.errors import OptionInvalid

__all__ = ["base_addresses", "host_of"]

CHECKPOINT = "checkpoint"
VERSION = "/v1"  # what clients of OpenAI write behind a base address; paths of the protocol begin with it
EXAMPLE = "Write http://host:port, with blanks between several."


def base_addresses(checkpoint: str | None) -> tuple[str, ...]:
    """Base addresses without a slash or /v1 at their end, in their order; they may have a path (https://host/prefix).

    checkpoint: addresses with blanks between them. Raises OptionInvalid where there is none, for one that is none, and for one twice; no
    refusal shows a password.
    """
    addresses = tuple(_checked(said) for said in (checkpoint or "").split())
    if not addresses:
        raise OptionInvalid(CHECKPOINT, hint=EXAMPLE, sentence="remote_address_absent")
    for address in addresses:
        if addresses.count(address) > 1:
            raise _wrong(address, "is given twice")
    return addresses


def host_of(address: str) -> str:
    """Host, and port where one is written."""
    return urlsplit(address).netloc


def _checked(said: str) -> str:
    try:
        parts = urlsplit(said)
        host, _ = parts.hostname, parts.port  # which raises for what is no number
    except ValueError:
        raise _wrong(_shown(said), "is no address") from None
    if "@" in parts.netloc:
        raise _wrong(_shown(said), "holds a name or password; a key has an option of its own")
    if parts.scheme not in ("http", "https") or not host or not said.isprintable():
        raise _wrong(_shown(said), "is no address that begins with http:// or https:// and names a host")
    if parts.query or parts.fragment:
        raise _wrong(parts.netloc, "has something behind a ? or #")
    path = parts.path.rstrip("/").removesuffix(VERSION).rstrip("/")
    return f"{parts.scheme}://{parts.netloc.lower()}{path}"


def _shown(said: str) -> str:
    """Without what stands before an @."""
    return said.rpartition("@")[2]


def _wrong(shown: str, why: str) -> OptionInvalid:
    return OptionInvalid(CHECKPOINT, hint=EXAMPLE, sentence="remote_address_wrong", detail=f"it {why}", address=shown)
