"""What a client's program tells: each case that it tried, the sound that it got, and when each piece of it came. Python alone, no package.

A program imports this, names its cases, and ends with `tell()`. It runs in its client's own environment, and knows of the studio what the
block of docs/clients.md tells. hearing.mjs is the same for Node.
"""

import ast
import asyncio
import inspect
import json
import re
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from urllib.error import HTTPError

GIVEN = json.loads(sys.argv[1])  # block, key, wyoming, text; and of clients.toml: sends, hears
BLOCK, KEY, TEXT = GIVEN["block"], GIVEN["key"], GIVEN["text"]
PRINTED = "Hello from a voice of my own."  # what the blocks say
PRINTED_FILE = Path("hello.mp3")  # and where they write it
RAW_RATE_HZ = 24_000  # of samples without a header, by OpenAI's API
_CASES: list[tuple[str, dict, Callable]] = []


class Sound:
    """What one case heard. text: what was to be said. rate_hz: of samples without a header. note: what else there is to tell."""

    def __init__(self) -> None:
        self.begun, self.data, self.pieces = time.perf_counter(), bytearray(), []
        self.text, self.rate_hz, self.note = TEXT, RAW_RATE_HZ, ""

    def add(self, data: bytes) -> None:
        self.pieces.append((round(time.perf_counter() - self.begun, 4), len(data)))
        self.data += data


def case(name: str, **expected: object) -> Callable:
    """expected: format of the sound, "" for none; streams: whether it comes while it is made; voice: "high" or "low"."""

    def named(function: Callable) -> Callable:
        _CASES.append((name, expected, function))
        return function

    return named


def run_block(until: str = "") -> dict:
    """The block of docs/clients.md, run to its end or until it has made this name; all names that it made."""
    names: dict = {}
    for statement in ast.parse(BLOCK).body:
        exec(ast.unparse(statement), names)
        if until in names:
            break
    return names


def address() -> str:
    """The first one in the block."""
    return re.search(r"http://[^\s\"',;)]+", BLOCK)[0]


def tell() -> None:
    """Try every case, and print a line of JSON for each. The next one begins at the answer, so that requests are told apart."""
    for number, (name, expected, function) in enumerate(_CASES):
        sound, error = Sound(), ""
        try:
            asyncio.run(function(sound)) if inspect.iscoroutinefunction(function) else function(sound)
        except Exception as failure:
            traceback.print_exc()
            answer = failure.read().decode(errors="replace") if isinstance(failure, HTTPError) else ""
            error = f"{type(failure).__name__}: {failure} {answer}".strip()[:400]
        file = Path(f"{number}.sound").resolve()
        file.write_bytes(sound.data)
        told = {"case": name, **expected, "file": str(file), "pieces": sound.pieces, "error": error}
        print(json.dumps(told | {"text": sound.text, "rate_hz": sound.rate_hz, "note": sound.note}), flush=True)
        sys.stdin.readline()
