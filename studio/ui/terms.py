"""The terms of an engine's weights in words: their licence, where its text is, what it forbids, and what it wants shown."""

from engines.contract import EngineInfo
from studio.ui.words import words

__all__ = ["forbidden_words", "terms_value"]

COMMERCIAL_USE = "commercial use"  # as `EngineInfo.restriction` has it

Value = dict[str, object]


def terms_value(info: EngineInfo) -> Value:
    """What assets/web/terms.js draws. forbids: in the words of the page; is_non_commercial: whether that is all that serves to earn money.

    meaning: what that is in plain words, "" for what is forbidden otherwise.
    """
    is_non_commercial = info.restriction == COMMERCIAL_USE
    return {
        "engine": info.title,
        "licence": info.licence,
        "licence_url": info.licence_url,
        "attribution": info.attribution,
        "forbids": forbidden_words(info),
        "meaning": words("engines.non_commercial_means") if is_non_commercial else "",
        "is_non_commercial": is_non_commercial,
    }


def forbidden_words(info: EngineInfo) -> str:
    """What the licence forbids; in the engine's own words, where the page has none for it."""
    return words("engines.commercial_use") if info.restriction == COMMERCIAL_USE else info.restriction
