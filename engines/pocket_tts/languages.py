"""What Pocket TTS cannot read in a text, in any of its languages."""

from engines.contract.language_limit import LanguageLimit

__all__ = ["limit_of"]

# Letters of Unicode's scripts beyond Latin, from Greek to Hangul and in the planes behind; neither punctuation nor emoji.
OTHER_LETTERS = (
    "[\u0370-\u1cff\u2c00-\u2c5f\u2c80-\u2dff\u3041-\u318f\u31a0-\u31ff\u3400-\ud7ff\uf900-\ufaff"
    "\U00010000-\U0001cfff\U00020000-\U000323af]"
)


def limit_of(language: str) -> LanguageLimit:
    """language: the code of the one that the model speaks. Its tokens are those of Latin texts; of others it reads single bytes."""
    return LanguageLimit(
        language,
        "other scripts",
        "letters of other scripts are no words to this model, and become noise.",
        "Write them in Latin letters, or choose another engine.",
        concerns=OTHER_LETTERS,
        unasked=OTHER_LETTERS,
    )
