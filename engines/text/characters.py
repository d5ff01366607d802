"""Plain text: what people may write to an engine, or about a speaker. It has whole characters only, and none that controls a device."""

import re

__all__ = ["CONTROL_IN_TEXT", "UNSPACED", "WITHOUT_BLANKS", "unwritable_character"]

# ASCII's, but white space, which lays a text out. Those from U+0080 on stand in texts whose encoding somebody mistook: ugly, and harmless.
CONTROL_IN_TEXT = re.compile(r"[\0-\x08\x0e-\x1b\x7f]")
# Of scripts that put no blanks between words, as a class of re holds them: Thai, Lao, Tibetan, Burmese, Khmer; kana and ideographs.
WITHOUT_BLANKS = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u31a0-\ua4cf\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
UNSPACED = re.compile(f"[{WITHOUT_BLANKS}]")
_HALF_CHARACTER = re.compile(r"[\ud800-\udfff]")  # a lone surrogate, which no file, log or model can write down


def unwritable_character(text: str) -> str | None:
    """The first character that plain text cannot have, as "U+0000"; None where there is none."""
    found = _HALF_CHARACTER.search(text) or CONTROL_IN_TEXT.search(text)
    return f"U+{ord(found[0]):04X}" if found else None
