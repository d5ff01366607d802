"""File names that all systems take: those of Windows are the strictest."""

import re
import unicodedata

__all__ = ["file_name", "numbered_name"]

MOST_NAME_BYTES = 120  # of 255 on Linux; Windows counts 260 characters for a whole path
# What Windows takes for devices, whatever the ending ("Naming Files, Paths, and Namespaces").
_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|(com|lpt)[0-9¹²³])(\.|$)")
_FORBIDDEN = re.compile(r'[<>:"/\\|?*]')


def file_name(title: str, ending: str) -> str:
    """`title.ending`; `script.ending` where nothing is left of the title. What no name may have becomes a hyphen."""
    return f"{_stem(title) or 'script'}.{ending}"


def numbered_name(number: int, n_files: int, title: str, ending: str) -> str:
    """`07 title.ending`, in as many digits as the last one has, so that names sort as numbers do. number: from 1."""
    digits = f"{number:0{max(2, len(str(n_files)))}d}"
    return f"{digits} {_stem(title)}".rstrip() + f".{ending}"


def _stem(title: str) -> str:
    stem = _FORBIDDEN.sub("-", unicodedata.normalize("NFC", title))
    stem = "".join(" " if unicodedata.category(character)[0] in "CZ" else character for character in stem)
    stem = _cut(" ".join(stem.split())).strip(". ")
    if not stem.strip("-"):
        return ""
    return f"_{stem}" if _DEVICE.match(stem) else stem


def _cut(stem: str) -> str:
    """MOST_NAME_BYTES of UTF-8 at most, no character in halves."""
    return stem.encode()[:MOST_NAME_BYTES].decode(errors="ignore")
