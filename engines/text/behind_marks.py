"""behind_marks: what may stand behind a stop and belong to the sentence before it: a closing quote, a picture, a dash, who said it."""

import re

from engines.text.abbreviations import SPEECH_WORDS
from engines.text.full_stops import Verdict

__all__ = [
    "CLOSING", "FIRST_GOING_ON", "FIRST_OWN", "FIRST_PICTURE", "MOST_BEFORE_WORD", "OWN", "PUNCTUATION", "SPACED_QUOTE",
    "begins_with_picture", "goes_on_at_mark", "goes_on_behind_quote", "opening_of", "stands_in_ideographs",
]  # fmt: skip

CLOSING = "”’»›)]}）］｝】〕〉》」』"
PUNCTUATION = frozenset("，。：；！？、.,:;!?")
# A mark may have a picture or a smiley of its own behind it, or a closing quote behind a blank, as French writes it.
_PICTURE = "[\U0001f000-\U0001faff\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff][\ufe0f\u200d\U0001f3fb-\U0001f3ff]{0,4}"
OWN = re.compile(rf"(?>(?:[ \t\u00a0\u202f]*+(?:{_PICTURE}|[:;=]['’]?-?[)(DPp]++(?!\w)))+)(?=\s|\Z)")
FIRST_OWN, FIRST_PICTURE = frozenset('»":;='), "\u2190"
_PICTURES = re.compile(_PICTURE)
_OPENING_WORD = re.compile(rf"(?:(?:{_PICTURE}){{1,4}}\s{{0,4}})?[^\W_]+")
MOST_BEFORE_WORD = 4 * 5 + 4  # characters of pictures and blanks that go with it
SPACED_QUOTE = re.compile(r"[ \u00a0\u202f][»\"](?=[\s.,;:!?)]|\Z)")
FIRST_GOING_ON = frozenset("-–—―.")
_BEHIND_DASH = re.compile(r"[-–—―]+[^\S\n]*(\S?)")

# Behind a closing quote: how Japanese goes on, and who said it, in Chinese and Japanese.
_GOES_ON_IN_JAPANESE = re.compile(
    "と(?!ても|ころ|き|にかく|もかく|りあえず|うとう|っさ|たん|なり|もだち|もに)|っ|を|の(?![ちどぞ])|という|など|なんて|だった|だと|とか"
)
_SAID_LENGTH = 14
_SAYS = re.compile(
    r".*(?:(?:言っ|聞い|訊い|答え|尋ね|叫ん|呟い|つぶやい|話し|怒鳴っ)[ただ]|言う|[说說问問答喊叫嚷吼叹嘆想笑]|(?<![知难街味频报轨])道|[说說问問喊叫][道着])"
)
_IDEOGRAPHS = re.compile(rf"[\u3005-\u30ff\u3400-\u9fff·]{{1,{_SAID_LENGTH}}}")


def begins_with_picture(text: str) -> bool:
    return _PICTURES.match(text) is not None


def goes_on_at_mark(text: str, at: int, stops: str) -> Verdict:
    """Before a dash, or a full stop that may be the second of ". . ."."""
    if text[at] != ".":
        behind = _BEHIND_DASH.match(text, at)
        assert behind is not None, "a dash stands there"
        return behind[1].islower(), behind.end() < len(text) or bool(behind[1])
    return stops == "." and _is_lone(text, at), stops != "." or at + 1 < len(text)


def opening_of(text: str, start: int, end: int) -> str:
    """The first word or number of text[start:end], with a picture before it; "" for none."""
    found = _OPENING_WORD.search(text, start, end)
    return found[0] if found else ""


def stands_in_ideographs(text: str, at: int, end: int) -> bool:
    """Of a "!" or "?" between Chinese or Japanese letters, which has no blank behind it."""
    is_asked = not text[at:end].rstrip(CLOSING).strip("!?")
    return is_asked and at > 0 and _IDEOGRAPHS.match(text[at - 1]) is not None and _IDEOGRAPHS.match(text, end) is not None


def goes_on_behind_quote(text: str, at: int, *, is_wide: bool) -> Verdict | None:
    """Whether a sentence goes on at `at`: who said it follows, or "と", or "라고". None where something else does."""
    if "\uac00" <= text[at] <= "\ud7a3":
        return text.startswith(SPEECH_WORDS, at), at + 3 < len(text)
    if not is_wide:
        return None
    if _GOES_ON_IN_JAPANESE.match(text, at):
        return True, at + 5 < len(text)
    if (words := _IDEOGRAPHS.match(text, at)) is None:
        return None
    if words.end() == len(text):
        return _SAYS.fullmatch(words[0]) is not None, False
    return (True, True) if _SAYS.fullmatch(words[0]) and text[words.end()] in PUNCTUATION else None


def _is_lone(text: str, at: int) -> bool:
    """Whether a full stop is one of ". . .", and not of "..."."""
    return at + 1 == len(text) or text[at + 1].isspace()
