"""Languages of OmniVoice: 646 IDs, mostly codes of ISO 639-3, and their names. languages.json says where the rows are from."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

__all__ = ["LANGUAGES", "language_names"]

_NAMES: Mapping[str, str] = MappingProxyType(
    json.loads(Path(__file__).with_name("languages.json").read_text(encoding="utf-8"))["languages"]
)

LANGUAGES: tuple[str, ...] = tuple(_NAMES)  # in the order of their names, as upstream


def language_names() -> Mapping[str, str]:
    """Each ID, in that order, and the language's English name."""
    return _NAMES
