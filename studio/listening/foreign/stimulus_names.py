"""Stimulus names: tells what of a name is the system and what is the text, where a study says it by its files alone.

Names of a study follow one rule: a folder for each system (tacotron/001.wav), a system before the text (tacotron_001.wav) or behind it
(001_tacotron.wav). Every rule of this kind is tried on all names together. The best one makes systems that say the same texts.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["MOST_GUESSED_SYSTEMS", "NameParts", "parts_of_names"]

MOST_GUESSED_SYSTEMS = 24
MOST_TOKENS = 3  # of a name that the text, or the system, may be
LEAST_SHARE = 0.9  # of names that a rule must fit: each place of the table once
_TOKENS = re.compile(r"[_\-. ]+|(?<=[a-z])(?=[A-Z][a-z])")
_FOLDERS = re.compile(r"[/\\]+")
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")
_NUMBER = re.compile(r"\D{0,10}[\d_.\-]*\d")


@dataclass(frozen=True)
class NameParts:
    """What one name says. system: "" where nothing tells systems apart."""

    system: str
    text: str


_Rule = Callable[[Sequence[str]], NameParts | None]


def parts_of_names(names: Sequence[str]) -> dict[str, NameParts]:
    """By name. Where no rule makes two systems of two texts or more, all names are texts of one system, "".

    names: paths or plain names; endings of files do not count.
    """
    distinct = list(dict.fromkeys(names))
    split = _without_shared_folders([_FOLDERS.split(_ENDING.sub("", name.strip().removeprefix("./"))) for name in distinct])
    best, found = 0.0, [NameParts("", "/".join(folders)) for folders in split]
    for rule in _rules(max(map(len, split), default=1)):
        parts = [rule(folders) for folders in split]
        told = [part for part in parts if part is not None]
        if len(told) == len(parts) and (score := _score(told)) > best + 1e-9:
            best, found = score, told
    return dict(zip(distinct, found, strict=True))


def _without_shared_folders(split: list[list[str]]) -> list[list[str]]:
    """The same without the folders at the front that all have."""
    while split and all(len(folders) > 1 for folders in split) and len({folders[0] for folders in split}) == 1:
        split = [folders[1:] for folders in split]
    return split


def _rules(depth: int) -> Iterator[_Rule]:
    """From the most to the least likely, since the first of equals is taken. depth: of folders, the file itself counted."""
    for level in range(2, depth + 1):
        yield lambda folders, level=level: _by_folder(folders, level)
    for n in range(1, MOST_TOKENS + 1):
        yield lambda folders, n=n: _by_tokens(folders, n, text_first=False, counts_text=True)
        yield lambda folders, n=n: _by_tokens(folders, n, text_first=True, counts_text=False)
        yield lambda folders, n=n: _by_tokens(folders, n, text_first=False, counts_text=False)
        yield lambda folders, n=n: _by_tokens(folders, n, text_first=True, counts_text=True)


def _by_folder(folders: Sequence[str], level: int) -> NameParts | None:
    """The system is the folder that lies so far from the end."""
    if len(folders) < level:
        return None
    at = len(folders) - level
    return NameParts(folders[at], "/".join((*folders[:at], *folders[at + 1 :])))


def _by_tokens(folders: Sequence[str], n: int, *, text_first: bool, counts_text: bool) -> NameParts | None:
    """The file's name is cut behind its first n tokens or before its last n. counts_text: those n are the text, else the system."""
    *outer, name = folders
    cuts = [found.span() for found in _TOKENS.finditer(name) if found.start() > 0 and found.end() < len(name)]
    if len(cuts) < n:
        return None
    begin, end = cuts[n - 1] if text_first == counts_text else cuts[-n]
    head, tail = name[:begin], name[end:]
    system, text = (tail, head) if text_first else (head, tail)
    return NameParts(system, "/".join((*outer, text)))


def _score(parts: Sequence[NameParts]) -> float:
    """0 where the rule does not fit. Above: texts that several systems say, texts that are numbers, and few places left empty."""
    systems, texts = Counter(part.system for part in parts), Counter(part.text for part in parts)
    n = len(parts)
    if not 2 <= len(systems) <= MOST_GUESSED_SYSTEMS or len(texts) < 2 or len(set(parts)) < LEAST_SHARE * n:
        return 0.0
    shared = sum(count for count in texts.values() if count > 1) / n
    numbered = sum(bool(_NUMBER.fullmatch(text.rpartition("/")[2])) * count for text, count in texts.items()) / n
    are_numbers = sum(bool(_NUMBER.fullmatch(system)) * count for system, count in systems.items()) / n
    filled = n / (len(systems) * len(texts))
    return 0.1 + 1.2 * shared + numbered - are_numbers + 0.5 * filled + 0.25 * (len(systems) <= len(texts))
