"""The phones that eSpeak NG has for a voice: names of all in its table of phonemes, and what each is in IPA."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

__all__ = ["inventory_of", "table_names"]

TIE = "^"  # as espeak_library.py asks for it
_HEAD_BYTES, _PHONE_BYTES, _NAME_BYTES = 36, 16, 32
_SOUND = re.compile(r"(?![#_'%,=])[!-{}~]+")  # neither a mark nor what stands for a letter's name
_LETTER = re.compile("[a-z]")


def table_names(data: Path, identifier: str) -> list[str]:
    """Mnemonics of a voice. data: eSpeak's folder. identifier: of the voice, as "gmw/en-US".

    The file phontab of espeak-ng 1.52.0 (synthdata.c, LoadPhData): a table is its length, the number of the one it adds to, and its name.
    """
    lines = (data / "lang" / identifier).read_text(encoding="utf-8")
    named = re.search(r"^phonemes\s+(\S+)", lines, re.MULTILINE) or re.search(r"^language\s+(\S+)", lines, re.MULTILINE)
    assert named is not None, "a voice of eSpeak's data says its language"
    tables = _tables((data / "phontab").read_bytes())
    by_name = {name: number for number, (name, _, _) in enumerate(tables, 1)}
    names: dict[str, None] = {}
    number = by_name.get(named[1]) or by_name.get(named[1].partition("-")[0], 0)
    while number:
        _, number, mnemonics = tables[number - 1]
        names |= dict.fromkeys(mnemonics)
    return sorted(names, key=lambda name: (len(name), "#" in name, name))


def inventory_of(mnemonics: list[str], said: Callable[[str], str]) -> Mapping[str, str]:
    """IPA without ties -> the shortest mnemonic that is said so, between two consonants or before a stressed vowel.

    said: what eSpeak makes of mnemonics, in IPA with TIE.
    """
    inventory: dict[str, str] = {}
    behind = said("p'ap")[1:]
    for mnemonic in filter(_SOUND.fullmatch, mnemonics):
        as_vowel, as_consonant = said(f"p'{mnemonic}p"), said(f"p{mnemonic}'ap")
        is_vowel = as_vowel.startswith("pˈ") and as_vowel.endswith("p")
        name = as_vowel[2:-1] if is_vowel else as_consonant.removeprefix("p").removesuffix(behind)
        name = name.replace(TIE, "")
        if any(c.isalpha() for c in name) and not any(c.isspace() for c in name):
            inventory.setdefault(name, mnemonic)
    for mnemonic in filter(_LETTER.fullmatch, mnemonics):  # what is said otherwise between those, as /b/ of Spanish
        inventory.setdefault(mnemonic.replace("g", "ɡ"), mnemonic)
    return inventory


def _tables(data: bytes) -> list[tuple[str, int, list[str]]]:
    """(name, number of the table it adds to, mnemonics) of each, in the order of their numbers from 1."""
    tables, at = [], 4
    for _ in range(data[0]):
        n_phones, number = data[at], data[at + 1]
        name = data[at + _HEAD_BYTES - _NAME_BYTES : at + _HEAD_BYTES].split(b"\0")[0].decode("ascii")
        at += _HEAD_BYTES
        mnemonics = [data[at + k * _PHONE_BYTES :][:4].rstrip(b"\0").decode("latin-1") for k in range(n_phones)]
        tables.append((name, number, mnemonics))
        at += n_phones * _PHONE_BYTES
    return tables
