"""Features of eSpeak's phones for the networks: how a phone is articulated, after the chart of the International Phonetic Association.

eSpeak names its phones in IPA, with marks of its own ("ts.h" is a retroflex affricate with breath, "y-" a front vowel somewhat back).
"""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

__all__ = ["N_PHONE_FEATURES", "is_vowel", "phone_features"]

# Of vowels: height (0 open to 1 close), backness (0 front to 1 back), rounding.
_VOWELS = {
    "i": (1.0, 0.0, 0), "y": (1.0, 0.0, 1), "ɨ": (1.0, 0.5, 0), "ʉ": (1.0, 0.5, 1), "ɯ": (1.0, 1.0, 0), "u": (1.0, 1.0, 1),
    "ɪ": (0.85, 0.15, 0), "ʏ": (0.85, 0.15, 1), "ᵻ": (0.85, 0.4, 0), "ᵿ": (0.85, 0.6, 1), "ʊ": (0.85, 0.85, 1),
    "e": (0.67, 0.0, 0), "ø": (0.67, 0.0, 1), "ɘ": (0.67, 0.5, 0), "ɵ": (0.67, 0.5, 1), "ɤ": (0.67, 1.0, 0), "o": (0.67, 1.0, 1),
    "ə": (0.5, 0.5, 0), "ɚ": (0.5, 0.5, 0), "ɛ": (0.33, 0.0, 0), "œ": (0.33, 0.0, 1), "ɜ": (0.33, 0.5, 0), "ɝ": (0.33, 0.5, 0),
    "ɞ": (0.33, 0.5, 1), "ʌ": (0.33, 0.8, 0), "ɔ": (0.33, 1.0, 1), "æ": (0.15, 0.0, 0), "ɐ": (0.15, 0.5, 0), "a": (0.0, 0.2, 0),
    "ɶ": (0.0, 0.0, 1), "ɑ": (0.0, 1.0, 0), "ɒ": (0.0, 1.0, 1),
}  # fmt: skip
# Of consonants: manner, place (0 lips to 1 glottis), voicing.
_PLOSIVE, _NASAL, _TRILL, _FRICATIVE, _LATERAL, _APPROXIMANT = range(6)
_CONSONANTS = {
    "p": (_PLOSIVE, 0.0, 0), "b": (_PLOSIVE, 0.0, 1), "t": (_PLOSIVE, 0.25, 0), "d": (_PLOSIVE, 0.25, 1), "ʈ": (_PLOSIVE, 0.45, 0),
    "ɖ": (_PLOSIVE, 0.45, 1), "c": (_PLOSIVE, 0.6, 0), "ɟ": (_PLOSIVE, 0.6, 1), "k": (_PLOSIVE, 0.7, 0), "ɡ": (_PLOSIVE, 0.7, 1),
    "g": (_PLOSIVE, 0.7, 1), "q": (_PLOSIVE, 0.8, 0), "ɢ": (_PLOSIVE, 0.8, 1), "ʔ": (_PLOSIVE, 1.0, 0), "ɓ": (_PLOSIVE, 0.0, 1),
    "ɗ": (_PLOSIVE, 0.25, 1), "ɠ": (_PLOSIVE, 0.7, 1), "ʡ": (_PLOSIVE, 0.95, 0), "m": (_NASAL, 0.0, 1), "ɱ": (_NASAL, 0.08, 1),
    "n": (_NASAL, 0.25, 1), "ɳ": (_NASAL, 0.45, 1), "ɲ": (_NASAL, 0.55, 1), "ŋ": (_NASAL, 0.7, 1), "ɴ": (_NASAL, 0.8, 1),
    "r": (_TRILL, 0.25, 1), "ɾ": (_TRILL, 0.25, 1), "ɽ": (_TRILL, 0.45, 1), "ʀ": (_TRILL, 0.8, 1), "ʙ": (_TRILL, 0.0, 1),
    "ɺ": (_TRILL, 0.3, 1), "ɸ": (_FRICATIVE, 0.0, 0), "β": (_FRICATIVE, 0.0, 1), "f": (_FRICATIVE, 0.08, 0), "v": (_FRICATIVE, 0.08, 1),
    "θ": (_FRICATIVE, 0.18, 0), "ð": (_FRICATIVE, 0.18, 1), "s": (_FRICATIVE, 0.27, 0), "z": (_FRICATIVE, 0.27, 1),
    "ʃ": (_FRICATIVE, 0.4, 0), "ʒ": (_FRICATIVE, 0.4, 1), "ʂ": (_FRICATIVE, 0.45, 0), "ʐ": (_FRICATIVE, 0.45, 1),
    "ɕ": (_FRICATIVE, 0.47, 0), "ʑ": (_FRICATIVE, 0.47, 1), "ç": (_FRICATIVE, 0.55, 0), "ʝ": (_FRICATIVE, 0.55, 1),
    "x": (_FRICATIVE, 0.7, 0), "ɣ": (_FRICATIVE, 0.7, 1), "ɧ": (_FRICATIVE, 0.6, 0), "χ": (_FRICATIVE, 0.8, 0), "ʁ": (_FRICATIVE, 0.8, 1),
    "ħ": (_FRICATIVE, 0.9, 0), "ʕ": (_FRICATIVE, 0.9, 1), "h": (_FRICATIVE, 1.0, 0), "ɦ": (_FRICATIVE, 1.0, 1), "ʜ": (_FRICATIVE, 0.95, 0),
    "ɬ": (_FRICATIVE, 0.3, 0), "ɮ": (_FRICATIVE, 0.3, 1), "l": (_LATERAL, 0.25, 1), "ɫ": (_LATERAL, 0.35, 1), "ɭ": (_LATERAL, 0.45, 1),
    "ʎ": (_LATERAL, 0.55, 1), "ʟ": (_LATERAL, 0.7, 1), "w": (_APPROXIMANT, 0.1, 1), "ʋ": (_APPROXIMANT, 0.08, 1),
    "ʍ": (_APPROXIMANT, 0.1, 0), "ɥ": (_APPROXIMANT, 0.5, 1), "ɹ": (_APPROXIMANT, 0.35, 1), "ɻ": (_APPROXIMANT, 0.45, 1),
    "j": (_APPROXIMANT, 0.55, 1), "ʲ": (_APPROXIMANT, 0.55, 1), "ɰ": (_APPROXIMANT, 0.7, 1),
}  # fmt: skip
_N_MANNERS = 6
_TILDE = "\u0303"
_RETROFLEX = 0.45
_PLACES = np.array(
    [0.0, 0.2, 0.4, 0.55, 0.72, 1.0]
)  # lips, teeth, behind them, palate, velum, glottis: between two, a phone is some of both
_SIBILANTS = "szʃʒʂʐɕʑ"


N_PHONE_FEATURES = 12 + 2 * _N_MANNERS + 6 + len(_PLACES)


@dataclass(frozen=True)
class _Vowel:
    """first and last: height, backness, rounding of how it begins and ends. lateral: whether it ends as an l."""

    first: np.ndarray
    last: np.ndarray
    long: bool
    nasal: bool
    rhotic: bool
    lateral: bool

    def features(self) -> np.ndarray:
        return np.concatenate([[1], self.first - 0.5, self.last - 0.5, [self.long, self.nasal, self.rhotic, self.lateral]])


@dataclass(frozen=True)
class _Consonant:
    """manner: how it begins; last_manner, place, sibilant: how it ends, which differs in affricates."""

    manner: int
    last_manner: int
    place: float
    voiced: bool
    sibilant: bool
    palatal: bool
    breath: bool

    def features(self) -> np.ndarray:
        manners = np.eye(_N_MANNERS)[[self.manner, self.last_manner]].ravel()
        places = [np.interp(self.place, _PLACES, peak) for peak in np.eye(len(_PLACES))]
        flags = [1, self.voiced, self.sibilant, self.palatal, self.breath, self.manner != self.last_manner]
        return np.concatenate([flags, manners, places])


@lru_cache(maxsize=4096)
def phone_features(name: str) -> np.ndarray:
    """(N_PHONE_FEATURES,) float32: silence; of vowels height, backness, rounding and more; of consonants voicing, manner, place and more.

    Phones that are articulated alike have features alike, whatever the language, so that what was learned of one serves the others.
    """
    sound = _sound(name)
    features = np.zeros(N_PHONE_FEATURES, np.float32)
    if sound is None:
        features[0] = 1
    elif isinstance(sound, _Vowel):
        features[1:12] = sound.features()
    else:
        features[12:] = sound.features()
    features.flags.writeable = False
    return features


def is_vowel(name: str) -> bool:
    """Whether the phone is one, or a diphthong."""
    return isinstance(_sound(name), _Vowel)


@lru_cache(maxsize=1024)
def _sound(name: str) -> _Vowel | _Consonant | None:
    """What the name describes; None for silence and for a name without a letter of the alphabet."""
    name = unicodedata.normalize("NFD", name)
    name = name.replace("c\u0327", "\u00e7")  # a letter, not a mark
    vowels = [_VOWELS[letter] for letter in name if letter in _VOWELS]
    if vowels:
        if name[0] in "jʲ":  # "ja" begins as "i" does
            vowels.insert(0, _VOWELS["i"])
        shape = np.array(vowels, float)
        return _Vowel(shape[0], shape[-1], "ː" in name, _TILDE in name, any(letter in "ɚɝ˞ɹ" for letter in name), name[-1] in "lɫ")
    letters = [letter for letter in name if letter in _CONSONANTS]
    if not letters:
        return None
    sounding = [letter for k, letter in enumerate(letters) if k == 0 or letter not in "hʲj"]
    manner, place, voiced = _CONSONANTS[sounding[0]]
    last_manner, last_place, _ = _CONSONANTS[sounding[-1]]
    place = _RETROFLEX if "." in name else last_place
    breath = "ʰ" in name or "ʱ" in name or "h" in letters[1:]
    return _Consonant(manner, last_manner, place, bool(voiced), sounding[-1] in _SIBILANTS, "ʲ" in name[1:], breath)
