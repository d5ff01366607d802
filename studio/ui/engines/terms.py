"""The terms of an engine's weights in words: their licences, where the texts are, what they forbid, and what they want shown."""

from engines.contract.contract import EngineInfo
from engines.contract.licence import Licence
from studio.ui.gradio.words import words

__all__ = ["forbidden_words", "terms_value"]

# What `EngineInfo.restriction` says, and the words of the page for it.
COMMERCIAL_USE = "commercial use"
FORBIDDEN = {
    COMMERCIAL_USE: "commercial_use",
    "cloning a voice without its owner's explicit and lawful consent, and deception": "unconsented_cloning",
}

Value = dict[str, object]


def terms_value(info: EngineInfo) -> Value:
    """What assets/web/engines/terms.js draws. licence: all of them in one line. forbids: in the words of the page; is_non_commercial:
    whether that is all that serves to earn money. meaning: what that is in plain words, "" for what is forbidden otherwise.
    """
    is_non_commercial = info.restriction == COMMERCIAL_USE
    return {
        "engine": info.title,
        "licence": words("figures.comma").join(map(_named, info.licences)),
        "licences": [_licence_value(licence) for licence in info.licences],
        "attribution": info.attribution,
        "forbids": forbidden_words(info),
        "meaning": words("engines.non_commercial_means") if is_non_commercial else "",
        "is_non_commercial": is_non_commercial,
    }


def forbidden_words(info: EngineInfo) -> str:
    """What the licences forbid; in the engine's own words, where the page has none for it."""
    known = FORBIDDEN.get(info.restriction)
    return words(f"engines.{known}") if known else info.restriction


def _licence_value(licence: Licence) -> Value:
    """named: the title with what it covers, where there are others. limit: whom it wants to have a further licence, "" where nobody."""
    n = licence.most_annual_users
    limit = words("engines.limits_users", licence=licence.title, n=n) if n else ""
    return {"title": licence.title, "named": _named(licence), "url": licence.url, "limit": limit}


def _named(licence: Licence) -> str:
    return words(f"engines.covers_{licence.covers}", licence=licence.title) if licence.covers else licence.title
