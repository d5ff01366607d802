"""Clean: removes from a message what must not leave the studio: paths, memory addresses, tracebacks."""

import re

__all__ = ["clean", "on_one_line", "sendable"]

# An absolute path of two parts or more that is not one of our own routes; between quotes it may hold spaces.
_PATH = re.compile(
    r"(?<=['\"`“])(?:/(?!v1/)[^'\"`”\n]*/|[A-Za-z]:\\|~/)[^'\"`”\n]*(?=['\"`”])"
    r"|(?<![\w.:/])(?:/(?!v1/)(?:[^\s/'\"`”,;()]+/)+[^\s'\"`”,;()]*(?<![.:])|[A-Za-z]:\\[^\s'\"`”,;]+|~/[^\s'\"`”,;]+)"
)
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_TRACEBACK = re.compile(r"\s*Traceback \(most recent call last\).*", re.DOTALL)


def clean(message: str) -> str:
    """The message without paths, memory addresses and tracebacks."""
    return _ADDRESS.sub("<address>", _PATH.sub("<path>", _TRACEBACK.sub("", sendable(message))))


def sendable(text: str) -> str:
    """Lone surrogates, which no response can carry, are escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


def on_one_line(text: str) -> str:
    """Control characters, breaks of lines and lone surrogates, which a name may hold and no line of a log, are escaped."""
    return _UNSHOWN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
