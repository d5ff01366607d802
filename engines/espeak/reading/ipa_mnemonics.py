"""IPA as eSpeak NG writes the phones of a voice. What the voice has no phone for is said with the one that is articulated most alike."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np

from engines.kit.phonemes.espeak_library import inventory
from engines.kit.phonemes.ipa import LETTERS, VOWELS, ipa_words, phone_parts, unknown_sign, with_phones
from engines.kit.phonemes.languages import Language
from engines.kit.phonemes.phone_features import phone_features
from engines.text.text_places import TextPlaces

__all__ = ["phone_places", "read_phones"]

_STRESSES = {"ˈ": "'", "ˌ": ","}
_LONGEST_PHONE = 5  # characters
_BETWEEN = "|"  # so that of two phones no third is made


def read_phones(text: str, language: Language) -> str:
    """The text with the phones that it asks for as `espeak_library.speak` takes them. Raises TextUnspeakable."""
    return with_phones(text, lambda word: _mnemonics(word, language))


def phone_places(text: str, language: Language) -> TextPlaces:
    """Of what `read_phones` gives in the text."""
    return TextPlaces.of_parts(phone_parts(text, lambda word: _mnemonics(word, language)))


def _mnemonics(word: str, language: Language) -> str:
    phones = inventory(language.voice)
    spelled = "".join(_phones("".join(ipa_words(word, language.code)), phones, language.voice))
    return spelled.removesuffix(_BETWEEN)


def _phones(ipa: str, phones: Mapping[str, str], voice: str) -> Iterator[str]:
    at = 0
    while at < len(ipa):
        if ipa[at] in _STRESSES:
            yield _STRESSES[ipa[at]]
            at += 1
            continue
        longest = min(_LONGEST_PHONE, len(ipa) - at)
        length = next((n for n in range(longest, 0, -1) if ipa[at : at + n] in phones), 0)
        name = ipa[at : at + length] if length else _nearest(ipa[at], voice)
        if name:
            yield phones[name] + _BETWEEN
        at += length or 1


@lru_cache(maxsize=4096)
def _nearest(sign: str, voice: str) -> str:
    """The name of the phone of the voice that is like a letter; "" for a mark on one, which the voice does not tell apart.

    Raises TextUnspeakable.
    """
    if sign not in LETTERS:
        return ""
    if not np.any(phone_features(sign)[1:]):  # a click, which is like nothing else
        raise unknown_sign(sign, sign)
    names = [name for name in inventory(voice) if (name[0] in VOWELS) == (sign in VOWELS) and len(name) <= 2]
    return min(names, key=lambda name: float(np.square(phone_features(name) - phone_features(sign)).sum()))
