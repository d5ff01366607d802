"""Words for handlers, in the language of the current visit. It is that of the page's address, else of the browser, else English."""

from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

from gradio.context import LocalContext

from studio.web.access import is_owner
from studio.words.sentences import LANGUAGES, OWNERS_ERRORS, OWNERS_HINT, Sentences, sentences_in

__all__ = ["language_asked", "problem_words", "visited_sentences", "words"]

PARAMETER = "lang"
MOST_ASKED = 20  # languages of one header that are looked at


def words(key: str, **values: object) -> str:
    """A sentence of assets/words/, such as words("figures.minutes", minutes=2). Raises KeyError for what is not there, or is not given."""
    return visited_sentences().words(key, values)


def problem_words(code: str, values: Mapping[str, object], otherwise: tuple[str, str] = ("", "")) -> tuple[str, str]:
    """(fact, hint) of what went wrong: the sentences of its code, or of values["sentence"]; `otherwise` where there are none.

    A visitor is told what the owner alone can do as the owner's.
    """
    said = visited_sentences()
    fact, hint = said.problem(code, values, otherwise)
    is_the_owners = str(values.get("sentence") or code) in OWNERS_ERRORS
    return fact, said.words(OWNERS_HINT, {}) if is_the_owners and _is_visitor() else hint


def visited_sentences() -> Sentences:
    """Of whoever caused the event under way; English outside of one."""
    request = LocalContext.request.get(None)
    if request is None:
        return sentences_in(LANGUAGES[0])
    return sentences_in(language_asked(request.headers, urlsplit(request.headers.get("referer", "")).query))


def _is_visitor() -> bool:
    """Whether the event under way is of somebody who does not run the studio."""
    request = LocalContext.request.get(None)
    return request is not None and is_owner(getattr(request, "request", request).scope) is False


def language_asked(headers: Mapping[str, str], query: str) -> str:
    """The language of `?lang=` in the query of the page's address, else the best of Accept-Language, else English."""
    wanted = [*parse_qs(query).get(PARAMETER, [])[:1], *_accepted(headers.get("accept-language", ""))]
    return next((language for language in map(_primary, wanted) if language in LANGUAGES), LANGUAGES[0])


def _accepted(header: str) -> list[str]:
    """The languages of an Accept-Language header (RFC 9110, section 12.5.4), the most wanted first; without those that are refused."""
    found = []
    for part in header.split(",")[:MOST_ASKED]:
        tag, _, weight = part.partition(";")
        quality = _quality(weight)
        if quality > 0:
            found.append((quality, tag.strip()))
    return [tag for _, tag in sorted(found, key=lambda one: -one[0])]


def _quality(weight: str) -> float:
    """1 without a weight, 0 for what is none."""
    name, _, value = weight.partition("=")
    if not name.strip():
        return 1.0
    try:
        return min(1.0, float(value)) if name.strip().lower() == "q" else 0.0
    except ValueError:
        return 0.0


def _primary(tag: str) -> str:
    """ "de" of "de-AT"."""
    return tag.strip().lower().partition("-")[0]
