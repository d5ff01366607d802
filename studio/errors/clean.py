"""Clean: removes from a message what must not leave the studio: paths, memory addresses, tracebacks."""

import re

__all__ = ["clean", "sendable"]

# An absolute path of two parts or more that is not one of our own routes; between quotes it may hold spaces.
_PATH = re.compile(
    r"(?<=['\"`“])(?:/(?!v1/)[^'\"`”\n]*/|[A-Za-z]:\\|~/)[^'\"`”\n]*(?=['\"`”])"
    r"|(?<![\w.:/])(?:/(?!v1/)(?:[^\s/'\"`”,;()]+/)+[^\s'\"`”,;()]*(?<![.:])|[A-Za-z]:\\[^\s'\"`”,;]+|~/[^\s'\"`”,;]+)"
)
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_TRACEBACK = re.compile(r"(?:\s|\\n)*Traceback \(most recent call last\).*", re.DOTALL)


def clean(message: str) -> str:
    """The message without paths, memory addresses and tracebacks."""
    return _ADDRESS.sub("<address>", _PATH.sub("<path>", _TRACEBACK.sub("", sendable(message))))


def sendable(text: str) -> str:
    """Lone surrogates, which no response can carry, are escaped."""
    return text.encode("utf-8", "backslashreplace").decode()
