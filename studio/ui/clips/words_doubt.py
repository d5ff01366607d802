"""What the page says of a clip's words: whether they can be its words, and which engines would speak as slowly or as fast as they say."""

from engines.advice.clip_advice import WORDS_SECONDS, wish_verdicts, words_verdict
from studio.service import Studio
from studio.ui.engines.standing import is_lacking

__all__ = ["judged_words"]


def judged_words(studio: Studio, text: str, speech_seconds: float) -> dict[str, object]:
    """{case, values, is_doubtful}, of words and a clip with so many seconds of speech, more than 0.

    One sentence in all: that some engines would speak slowly is said where the words can be those of the clip, else that they can hardly.
    """
    verdict = words_verdict(text, speech_seconds)
    values = {"n": round(verdict.value, 1), "spoken": round(speech_seconds, 1)}
    case, engines = verdict.case, {}
    if verdict.grade == "good":
        engines = _unmet(studio, text, speech_seconds)
    if engines:
        case = next(iter(engines))
        values["engines"] = engines[case]
    return {"case": case, "values": values, "is_doubtful": verdict.grade != "good" or bool(engines)}


def _unmet(studio: Studio, text: str, speech_seconds: float) -> dict[str, list[str]]:
    """Titles of engines by the case of what they would make of the words; of those that can speak."""
    titles: dict[str, list[str]] = {}
    for status in studio.engines():
        info = status.info
        if not info.clones_clips or is_lacking(status, studio.weights.status(info.id)):
            continue
        for line in wish_verdicts(info, 0.0, text, speech_seconds):
            if line.measure == WORDS_SECONDS:
                titles.setdefault(line.case, []).append(info.title)
    return titles
