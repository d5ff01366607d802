"""Codes of languages, from what lists call them: a code, or a name in English or in a language of the page."""

import re
from functools import lru_cache

from studio.reading.language import NAMES
from studio.words.sentences import LANGUAGES

__all__ = ["code_of"]

_CODE = re.compile(r"([a-z]{2,3})(?:-[a-z0-9]{2,8})*")
_OTHER_NAMES = {"mandarin": "zh", "cn": "zh", "jp": "ja", "kr": "ko", "cmn": "zh"}  # as test sets call them


def code_of(written: str) -> str | None:
    """ "de", "zh_CN", "german", "Deutsch", "allemand" -> a code; None for what is no language."""
    plain = written.strip().casefold()
    if len(plain) > 40:
        return None
    if found := _OTHER_NAMES.get(plain):
        return found
    code = plain.replace("_", "-")
    if (is_code := _CODE.fullmatch(code)) and is_code[1] in NAMES:
        return code
    return _by_name().get(plain)


@lru_cache(1)
def _by_name() -> dict[str, str]:
    from babel import Locale  # its data would be read at each start

    found: dict[str, str] = {}
    for reader in LANGUAGES:
        found |= {name.casefold(): code for code, name in Locale(reader).languages.items() if code in NAMES}
    found |= {str(Locale(code).get_language_name(code)).casefold(): code for code in ("it", "pt", "nl", "ru", "ja", "ko", "hi", "pl")}
    return found | {name.casefold(): code for code, name in NAMES.items() if code not in _OTHER_NAMES}
