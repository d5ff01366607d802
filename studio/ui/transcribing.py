"""Step three of creating a voice, where the studio has a transcriber: the words of the region, for a person to read through."""

from studio.service import Studio
from studio.speakers.clip_draft import ClipDrafts
from studio.speakers.enrolment import PAGE_RULE
from studio.ui.clip_intake import region_of
from studio.ui.messages import answered

__all__ = ["write_words"]


@answered
def write_words(studio: Studio, drafts: ClipDrafts, asked: dict) -> dict[str, object]:
    """asked: {draft, start, end, language}. {text, language}; "" where no words were heard, or no language is known."""
    _, clip = region_of(drafts, asked)
    PAGE_RULE.check(clip, what="region")
    words = studio.transcriber.write(clip, str(asked.get("language") or "") or None)
    return {"text": words.text if words else "", "language": (words and words.language) or ""}
