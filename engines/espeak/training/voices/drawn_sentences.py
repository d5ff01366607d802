"""Draws sentences from the word lists of PyPI's package `wonderwords` (MIT). There can be any number, the same every time.

They make little sense; what they are for is that nearly 9,000 words bring the sounds of English into more neighborhoods than any text of
this length.
"""

from pathlib import Path

import numpy as np

from engines.errors import EngineUnavailable
from engines.espeak.training.voices.training_voice import INSTALL

__all__ = ["drawn_sentences"]

_SEED = 0
# {n}: a noun, {a}: an adjective, {v}: a verb in its plain form
_PATTERNS = (
    "The {a} {n} will {v} the {n} before the {a} {n} arrives.",
    "Did you {v} my {a} {n}, or was it the {n} next to the {n}?",
    "We could not {v} without a {n}, so they gave us a {a} {n}.",
    "{A} {n}, {a} {n} and a {n}: that is all we need to {v}.",
    "If I {v} this {n} again, her {n} may look rather {a}.",
    "Why would anybody {v} such a {a} {n} in the middle of the {n}?",
    "His {n} was {a}, but the {n} of the {n} seemed even more {a}.",
    "Please {v} the {n} and the {n} while we {v} over there.",
    "They used to {v} every {n}, yet nobody called it {a}.",
    "There is a {a} {n} under the {n}, just behind the other {n}.",
    "How {a} is the {n} that you {v} for your {n}?",
    "She said that the {n} would {v}, and that his {n} should stay {a}.",
    "Both the {n} and the {a} {n} have to {v} at the {n}.",
    "Yes, {n} after {n}, until the {a} ones {v} too!",
)


def drawn_sentences(count: int) -> tuple[str, ...]:
    """So many sentences. Raises EngineUnavailable where the package is missing."""
    try:
        import wonderwords
    except ImportError as error:
        raise EngineUnavailable(command=INSTALL, sentence="engine_library_absent", detail=f"wonderwords of PyPI ({error})") from error
    folder = Path(wonderwords.__file__).parent / "assets"
    words = {kind: _words(folder / f"{name}list.txt") for kind, name in (("n", "noun"), ("a", "adjective"), ("v", "verb"))}
    random = np.random.default_rng(_SEED)
    return tuple(_filled(_PATTERNS[k % len(_PATTERNS)], words, random) for k in range(count))


def _words(path: Path) -> list[str]:
    """Those that are read as they are written: small letters alone."""
    return [
        word for word in path.read_text(encoding="utf-8").split() if word.isascii() and word.isalpha() and word.islower() and len(word) > 2
    ]


def _filled(pattern: str, words: dict[str, list[str]], random: np.random.Generator) -> str:
    for kind in "nav":
        while f"{{{kind}}}" in pattern:
            pattern = pattern.replace(f"{{{kind}}}", words[kind][random.integers(len(words[kind]))], 1)
    return pattern.replace("{A}", words["a"][random.integers(len(words["a"]))].capitalize())
