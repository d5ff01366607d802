"""Bytes of a text, in the encodings in which strangers bring them. What is no UTF-8 is told, so that nobody finds odd letters later."""

import codecs
import re
from dataclasses import dataclass

from engines.text.language_guess import guess_language
from studio.errors import ScriptFileUnusable

__all__ = ["DecodedText", "decode_text", "joined_line_ends"]

_MARKS = (  # the longer one first: UTF-32 begins as UTF-16 does
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What is asked for, and as which name it is told. Of those that many share, the one that holds the others' letters.
_OLDER = {
    "cp1252": "Windows-1252",
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
    "cp1253": "Windows-1253",
    "koi8_r": "KOI8-R",
    "gb18030": "GB18030",
    "big5": "Big5",
    "cp932": "Shift_JIS",
    "euc_jp": "EUC-JP",
    "cp949": "EUC-KR",
}
_LOOKED_AT_BYTES = 1 << 16
_LEAST_WIDE_SHARE = 0.3  # of zero bytes at every second place: UTF-16 of an alphabet
_MOST_DAMAGE = 0.01  # of a text in UTF-8 with bytes that are none
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x7f]")
_MOST_CONTROL_SHARE = 0.01
_CENTRAL = re.compile("[ąćčďęěłńňřśşťůźżžőűĄĆČĎĘĚŁŃŇŘŚŞŤŮŹŻŽŐŰ]")  # letters of Windows-1250
_LEAST_CENTRAL_SHARE = 0.02
_KANA, _LEAST_KANA_SHARE = re.compile("[\u3041-\u3096\u30a1-\u30fa]"), 0.2
_WESTERN = frozenset(("de", "es", "fr", "it", "pt", "nl", "sv"))
_LINE_ENDS = re.compile("\r+\n|\r|[\v\f\x1c-\x1e\x85\u2028]")


@dataclass(frozen=True)
class DecodedText:
    """encoding: as people call it. is_plain: UTF-8, or said by a mark: nothing was guessed.

    n_damaged: characters that could not be read.
    """

    text: str
    encoding: str
    is_plain: bool
    n_damaged: int = 0


def decode_text(data: bytes) -> DecodedText:
    """With every kind of line end as a newline. Raises ScriptFileUnusable for what is no text."""
    found = _decoded(data)
    text = joined_line_ends(found.text)
    if len(_CONTROL.findall(text)) > _MOST_CONTROL_SHARE * len(text):
        raise ScriptFileUnusable(sentence="script_file_binary")
    return DecodedText(_CONTROL.sub("", text), found.encoding, found.is_plain, found.n_damaged)


def joined_line_ends(text: str) -> str:
    """With newlines as line ends, and a blank line for the end of a paragraph (U+2029)."""
    return _LINE_ENDS.sub("\n", text.replace("\u2029", "\n\n")).removeprefix("\ufeff")


def _decoded(data: bytes) -> DecodedText:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _of_known(data, encoding)
    try:
        return DecodedText(data.decode("utf-8"), "UTF-8", True)
    except UnicodeDecodeError:
        pass
    wide = _wide_encoding(data)
    return _of_known(data, wide) if wide else _of_older(data)


def _of_known(data: bytes, encoding: str) -> DecodedText:
    text = data.decode(encoding, "replace")
    return DecodedText(text, encoding.upper().removesuffix("-SIG"), True, text.count("\ufffd"))


def _wide_encoding(data: bytes) -> str:
    head = data[:_LOOKED_AT_BYTES]
    half = len(head) // 2
    if head[1::2].count(0) > _LEAST_WIDE_SHARE * half:
        return "utf-16-le"
    return "utf-16-be" if head[0::2].count(0) > _LEAST_WIDE_SHARE * half else ""


def _of_older(data: bytes) -> DecodedText:
    """Of an encoding from before Unicode, or UTF-8 with a few bytes that are none."""
    damaged = data.decode("utf-8", "replace")
    n_damaged, n_beyond = damaged.count("\ufffd"), len(re.findall(r"[^\x00-\x7f\ufffd]", damaged))
    if n_damaged <= min(_MOST_DAMAGE * len(damaged), n_beyond / 4):
        return DecodedText(damaged, "UTF-8", True, n_damaged)
    encoding = _older_encoding(data)
    text = data.decode(encoding, "replace")
    return DecodedText(text, _OLDER[encoding], False, text.count("\ufffd"))


def _older_encoding(data: bytes) -> str:
    from charset_normalizer import from_bytes

    first = next((at for at, byte in enumerate(data) if byte > 0x7F), 0)
    start = data.rfind(b"\n", 0, first) + 1  # whole lines: half a character is none of any encoding
    head = data[start : start + _LOOKED_AT_BYTES]
    head = head[: head.rfind(b"\n") + 1] if b"\n" in head and len(data) > start + len(head) else head
    if japanese := next((encoding for encoding in ("cp932", "euc_jp") if _has_kana(head, encoding)), ""):
        return japanese
    best = from_bytes(head, cp_isolation=list(_OLDER)).best()
    encoding = best.encoding if best is not None else "cp1252"
    if encoding in ("cp1250", "cp1252"):
        return "cp1250" if _is_central(head) else "cp1252"
    return encoding if encoding in _OLDER else "cp1252"


def _has_kana(data: bytes, encoding: str) -> bool:
    """Whether it is Japanese so: each sentence has kana, which no other text comes to by chance."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return False
    n_beyond = sum(1 for c in text if c > "\x7f")
    return len(_KANA.findall(text)) > _LEAST_KANA_SHARE * n_beyond


def _is_central(data: bytes) -> bool:
    """Whether a Latin text is of Central Europe: the same bytes are other letters there, and words tell which."""
    text = data.decode("cp1250", "replace")
    if (language := guess_language(text)) in _WESTERN:
        return False
    n_letters = sum(map(str.isalpha, text))
    return language == "pl" or len(_CENTRAL.findall(text)) > _LEAST_CENTRAL_SHARE * n_letters
