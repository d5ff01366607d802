"""The recognizer's floor: how many words it mishears itself, of clean recordings of people. Below it word errors say nothing of a voice."""

__all__ = ["word_floor"]

# Whisper base, multilingual, greedy: Radford et al., "Robust speech recognition via large-scale weak supervision" (2022), word error rates
# of LibriSpeech test-clean (table 8, English) and of Multilingual LibriSpeech (table 10, the others). Of other languages and other weights
# nothing is known here.
_BASE = {"de": 0.177, "en": 0.050, "es": 0.128, "fr": 0.266, "it": 0.311, "nl": 0.284, "pl": 0.228, "pt": 0.219}
_BASE_NAMES = ("whisper-base", "Systran/faster-whisper-base")


def word_floor(transcriber: str, language: str | None) -> float | None:
    """0 to 1; None where it is not known. transcriber: its name. language: a code, such as "de" or "de-AT"."""
    return _BASE.get((language or "").partition("-")[0].casefold()) if transcriber in _BASE_NAMES else None
