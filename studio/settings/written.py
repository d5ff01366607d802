"""Parser of a variable's text: lists, remote speech servers, aliases of engines."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

__all__ = ["REMOTE", "SettingsInvalid", "listed", "read_aliases", "read_remotes", "read_speaker_aliases"]

REMOTE = "remote"  # in the catalog; an engine of it is called so, with "_" and a name of STUDIO_REMOTES behind it
REMOTE_NAME = re.compile(r"[a-z0-9_]{1,24}")
CREDENTIALS = re.compile(r"(?<=//)[^/\s]*@")  # of an address, which no message shows


class SettingsInvalid(ValueError):
    """An environment variable is unknown or has a value that cannot be used; the message names it."""


def listed(value: object) -> object:
    """The parts of a text between its commas; what is no text stays what it is, as in the two below."""
    return tuple(_parts(value)) if isinstance(value, str) else value


def read_remotes(value: object) -> object:
    """Engine id -> addresses, of "name=address address, name=address"."""
    if not isinstance(value, str):
        return value
    remotes: dict[str, tuple[str, ...]] = {}
    for part in _parts(value):
        name, mark, addresses = (piece.strip() for piece in part.partition("="))
        shown = CREDENTIALS.sub("", part)
        if not mark or "/" in name or not addresses:
            raise SettingsInvalid(f"STUDIO_REMOTES has {shown!r}; write name=address, such as gpu=http://10.0.0.5:8091.")
        if not REMOTE_NAME.fullmatch(name):
            raise SettingsInvalid(f"STUDIO_REMOTES has the name {name!r}; a name is of a-z, 0-9 and _, at most 24 of them.")
        if f"{REMOTE}_{name}" in remotes:
            hint = "Write all addresses of one model behind one name, with blanks between them, or choose another name."
            raise SettingsInvalid(f"STUDIO_REMOTES has the name {name!r} twice. {hint}")
        remotes[f"{REMOTE}_{name}"] = tuple(dict.fromkeys(_address(name, address) for address in addresses.split()))
    return remotes


def read_aliases(value: object) -> object:
    """Name -> engine, of "name=engine, name=engine"."""
    return _aliases(value, "STUDIO_MODEL_ALIASES", "engine", "tts-1=espeak")


def read_speaker_aliases(value: object) -> object:
    """Name -> voice, of "name=voice, name=voice"."""
    return _aliases(value, "STUDIO_VOICE_ALIASES", "voice", "alloy=Ana")


def _aliases(value: object, title: str, kind: str, example: str) -> object:
    if not isinstance(value, str):
        return value
    aliases: dict[str, str] = {}
    for part in _parts(value):
        name, _, meant = map(str.strip, part.rpartition("="))
        if not name or not meant:
            raise SettingsInvalid(f"{title} has {part!r}; write name={kind}, such as {example}.")
        if aliases.setdefault(name, meant) != meant:
            raise SettingsInvalid(f"{title} has {name!r} twice, for {aliases[name]!r} and for {meant!r}; leave one.")
    return aliases


def _parts(text: str) -> Iterable[str]:
    return filter(None, map(str.strip, text.split(",")))


def _address(name: str, address: str) -> str:
    """The base address of a server, without a slash at its end."""
    shown = CREDENTIALS.sub("", address)
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port  # which a port of letters has not
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or not address.isprintable():
        raise SettingsInvalid(f"STUDIO_REMOTES has {shown!r} for {name!r}; an address begins with http:// or https:// and names a host.")
    if "@" in parts.netloc:
        raise SettingsInvalid(
            f"STUDIO_REMOTES has a name or password in an address of {name!r}; put a key into {f'{REMOTE}_{name}_key'.upper()}."
        )
    if parts.query or parts.fragment:
        raise SettingsInvalid(f"STUDIO_REMOTES has {parts.hostname!r} with something behind a ? or #; leave that out.")
    return address.rstrip("/")
