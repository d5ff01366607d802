"""Step three of creating a voice, with a transcriber: it writes the words of the region for a person to check.

It also checks whether the words that a person wrote are those of the region.
"""

from engines.advice.clip_advice import words_verdict
from engines.clips.clip import Clip
from engines.clips.clip_quality import measure_clip
from engines.errors import EngineError
from studio.analysis.heard_words import word_errors
from studio.service import Studio
from studio.speakers.clip_draft import ClipDrafts
from studio.speakers.enrollment import PAGE_RULE
from studio.ui.clips.clip_intake import region_of
from studio.ui.gradio.messages import answered

__all__ = ["MOST_WORD_ERRORS", "transcript_warning", "write_words"]

# Of the words, above which they are hardly those of the recording: Whisper base itself mishears 5 to 30 % of read speech, by language
# (Radford et al., "Robust speech recognition via large-scale weak supervision", 2022, tables 8 to 10); words of another recording share
# a fifth at most.
MOST_WORD_ERRORS = 0.5


@answered
def write_words(studio: Studio, drafts: ClipDrafts, asked: dict) -> dict[str, object]:
    """asked: {draft, start, end, language}. {text, language}; "" where no words were heard, or no language is known."""
    _, clip = region_of(drafts, asked)
    PAGE_RULE.check(clip)
    words = studio.transcriber.write(clip, str(asked.get("language") or "") or None)
    return {"text": words.text if words else "", "language": (words and words.language) or ""}


@answered
def transcript_warning(studio: Studio, drafts: ClipDrafts, asked: dict) -> dict[str, object]:
    """asked: {draft, start, end, language, text}. {heard, is_doubtful}: can the text be what is said in that region, "" where nothing is?

    Nothing is doubted where nothing can be heard: without a transcriber, or where it is busy or fails, which keeps nobody from a voice.
    """
    text, language = str(asked.get("text") or "").strip(), str(asked.get("language") or "") or None
    _, clip = region_of(drafts, asked)
    if not text or not studio.transcriber.is_here or clip.seconds > PAGE_RULE.most_seconds:
        return {"heard": "", "is_doubtful": False}
    try:
        words = studio.transcriber.write(clip, language)
    except EngineError:
        return {"heard": "", "is_doubtful": False}
    heard = words.text if words else ""
    n_errors, n_words = word_errors(text, heard, language or (words.language if words else None))
    return {"heard": heard, "is_doubtful": n_errors > MOST_WORD_ERRORS * n_words or not _fits_in_length(text, clip)}


def _fits_in_length(text: str, clip: Clip) -> bool:
    speech_seconds = measure_clip(clip).speech_seconds
    return not speech_seconds or words_verdict(text, speech_seconds).grade == "good"
