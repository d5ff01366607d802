"""OpenAI's names of models, which its clients say without having been told any."""

import re

__all__ = ["MODELS", "is_openai_model"]

MODELS = ("tts-1", "tts-1-hd", "gpt-4o-mini-tts")
DATED = re.compile(rf"(?:{'|'.join(MODELS)})(?:-\d{{4}}(?:-\d{{2}}-\d{{2}})?)?", re.ASCII)  # tts-1-1106, gpt-4o-mini-tts-2025-12-15


def is_openai_model(name: str) -> bool:
    """Whether it is one of OpenAI's models of speech, as it is or of a date."""
    return DATED.fullmatch(name) is not None
