"""IPA in the phonemes of the CMU Pronouncing Dictionary (ARPAbet), for models that read words of English so: "T AH0 M EY1 T OW0".

English has a phoneme for each of its sounds; a sound of another language becomes the one that English speakers say for it.
"""

import re

from engines.kit.phonemes.ipa import LETTERS, ipa_words, unknown_sign

__all__ = ["arpabet"]

_VOWELS = {
    "ɜːɹ": "ER", "ɜɹ": "ER", "əɹ": "ER", "ɜː": "ER", "ɜ": "ER", "ɝ": "ER", "ɚ": "ER", "aʊ": "AW", "aɪ": "AY", "eɪ": "EY", "oʊ": "OW",
    "əʊ": "OW", "ɔɪ": "OY", "ɪə": "IH R", "ɛə": "EH R", "ʊə": "UH R", "ɑ": "AA", "ɒ": "AA", "a": "AA", "æ": "AE", "ʌ": "AH", "ɐ": "AH",
    "ə": "AH", "ɔ": "AO", "ɛ": "EH", "ɪ": "IH", "ᵻ": "IH", "ɨ": "IH", "i": "IY", "o": "OW", "ʊ": "UH", "ᵿ": "UH", "u": "UW", "y": "UW",
    "ʏ": "UH", "ø": "ER", "œ": "ER", "ɵ": "UH", "ɘ": "AH", "ɞ": "ER", "ɤ": "AH", "ɯ": "UW", "ʉ": "UW", "ɶ": "AE",
}  # fmt: skip
_CONSONANTS = {
    **{letter: letter.upper() for letter in "bdfklmnpstvwz"}, "tʃ": "CH", "dʒ": "JH", "ʔ": "T", "ɲ": "N Y", "ʎ": "L Y", "ŋ": "NG",
    "θ": "TH", "ð": "DH", "ʃ": "SH", "ʒ": "ZH", "j": "Y", "h": "HH", "ɹ": "R", "ɡ": "G", "ɾ": "D", **dict.fromkeys("ɻɽʁʀɺ", "R"),
    **dict.fromkeys("ɕʂɧ", "SH"), **dict.fromkeys("ʑʐ", "ZH"), **dict.fromkeys("xχqc", "K"), **dict.fromkeys("ɣɟɢ", "G"),
    **dict.fromkeys("çɦħʜ", "HH"), **dict.fromkeys("βʋⱱ", "V"), **dict.fromkeys("ʍɥɰ", "W"), **dict.fromkeys("ɫɭɬɮʟ", "L"),
    **dict.fromkeys("ɳɴ", "N"), "ɱ": "M", "ɸ": "F", "ʈ": "T", "ɖ": "D", "ɓ": "B", "ʙ": "B", "ɗ": "D", "ɠ": "G", "ʝ": "Y",
}  # fmt: skip
_STRESSES = {"ˈ": "1", "ˌ": "2"}
_SOUNDS = re.compile("|".join(sorted(map(re.escape, (*_VOWELS, *_CONSONANTS)), key=len, reverse=True)) + "|.")


def arpabet(word: str) -> str:
    """A word of IPA, vowels with their stress. Raises TextUnspeakable."""
    said, stress = [], "0"
    for sound in _SOUNDS.findall("".join(ipa_words(word, "en"))):
        if sound in _STRESSES:
            stress = _STRESSES[sound]
        elif sound in _VOWELS:
            vowel, _, behind = _VOWELS[sound].partition(" ")
            said += [vowel + stress, *behind.split()]
            stress = "0"
        elif sound in _CONSONANTS:
            said.append(_CONSONANTS[sound])
        elif sound in LETTERS:
            raise unknown_sign(sound, word)
    return " ".join(said)
