"""The normal form of an answer: what it says, without what differs from one run to the next: times, random ids, how busy an engine is."""

import hashlib
import json
import re

import httpx

__all__ = ["body_of", "headers_of", "normal_form"]

# Headers of which only the names count: a random number, times, a length that follows from times.
VARYING_HEADERS = ("content-length", "etag", "x-request-id", "server-timing", "date", "retry-after")
# Members that hold a time or a size of this very run. "waiting", "streaming" and "busy" are the machine's: every visitor may know how
# long its engines are taken; not by whom.
VARYING_MEMBERS = frozenset(
    (
        *(
            "at",
            "created",
            "created_at",
            "changed",  # of scripts
            "milliseconds",
            "extraction_seconds",
            "ttfp_ms",
            "rtf",
            "server_ms",
            "timing",
            "stages",
            "consent_facts",
        ),
        *("saved_seconds", "load_seconds", "last_at"),  # of engines and cells
        *("duration", "cache_duration", "event_id", "app_id"),  # Gradio's own
        *("busy", "waiting", "streaming"),
        "owner",  # of a draft: a word that stands for the visitor
    )
)
VARYING_WORDS = (
    (re.compile(r'"app_id":\s*\d+'), '"app_id":<id>'),  # before an id of digits alone is taken for one of ours
    (re.compile(r"\bcons_[0-9a-f]{32}\b"), "<consent>"),
    (re.compile(r"\b[0-9a-f]{64}\b|\b[0-9a-f]{40}\b|\b[0-9a-f]{32}\b|\b[0-9a-f]{20}\b"), "<id>"),
    (re.compile(r"(?<![\w-])[\w-]{32}(?![\w-])"), "<draft>"),
    (re.compile(r"(?<![\w-])[\w-]{22}(?![\w-])"), "<test>"),
    (re.compile(r"\A(?=.*[A-Z0-9])[\w-]{16}\Z"), "<evaluation>"),  # as a whole: no word of a sentence
    (re.compile(r"\d+(\.\d+)? (ms|s|µs)\b"), "<time>"),
    (re.compile(r'("(?:milliseconds|ttfp_ms)": )[\d.e-]+'), r"\1<time>"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\s\"<]*"), "<date>"),
    (re.compile(r"(speech-batch|speech|compare|modelperm)-[0-9a-f]{8,}"), "<id>"),
    (re.compile(r"\b[0-9a-f]{16}\b"), "<line>"),
)


def normal_form(value: object) -> object:
    """The same, of JSON as Python has it."""
    if isinstance(value, dict):
        varying = VARYING_MEMBERS | ({"seconds"} if "cache_status" in value else set())  # there how long it took, elsewhere of sound
        return {key: "<varies>" if key in varying else normal_form(member) for key, member in value.items()}
    if isinstance(value, list) and len(value) == 3 and value[0] in ("add", "replace") and value[1] and value[1][-1] in VARYING_MEMBERS:
        return [*value[:2], "<varies>"]  # how Gradio tells that a member has another value
    if isinstance(value, list | tuple):
        return [normal_form(member) for member in value]
    if isinstance(value, str):
        for pattern, stand_in in VARYING_WORDS:
            value = pattern.sub(stand_in, value)
    return value


def headers_of(response: httpx.Response) -> dict[str, str]:
    """By name; of cookies the name and what they are allowed."""
    headers = {name: "" if name in VARYING_HEADERS else value for name, value in sorted(response.headers.items())}
    if "set-cookie" in headers:
        name, _, allowed = headers["set-cookie"].partition("=")
        headers["set-cookie"] = f"{name} {allowed.partition(';')[2]}"
    return headers


def body_of(response: httpx.Response) -> object:
    """JSON as it is, text as text; sound and archives by what they hold, which is for others to compare, as their kind."""
    kind = response.headers.get("content-type", "")
    if kind.startswith("application/json"):
        return response.json()
    if kind.startswith("text/event-stream"):
        return [json.loads(line[6:]) if line.startswith("data: {") else line for line in response.text.splitlines()]
    if kind.startswith("text/"):
        return response.text
    if kind == "application/zip":
        return kind
    return hashlib.sha256(response.content).digest().hex()[:12]
