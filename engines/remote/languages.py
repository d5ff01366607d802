"""English names of languages, for speech servers: vLLM-Omni takes no codes."""

__all__ = ["CODES", "language_name"]

# ISO 639-1, the languages of the models that vLLM-Omni 0.30.0 serves; those of Qwen3-TTS first. Of others the code is sent.
NAMES = {
    "en": "English", "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "de": "German", "fr": "French", "ru": "Russian",
    "pt": "Portuguese", "es": "Spanish", "it": "Italian", "ar": "Arabic", "bg": "Bulgarian", "cs": "Czech", "da": "Danish", "el": "Greek",
    "fi": "Finnish", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "id": "Indonesian", "ms": "Malay", "nl": "Dutch", "no": "Norwegian",
    "pl": "Polish", "ro": "Romanian", "sv": "Swedish", "sw": "Swahili", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian",
    "vi": "Vietnamese", "yue": "Cantonese",
}  # fmt: skip
CODES = tuple(NAMES)[:10]


def language_name(code: str) -> str:
    """The English name; the code itself where none is known."""
    return NAMES.get(code, code)
