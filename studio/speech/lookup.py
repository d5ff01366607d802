"""Lookup of whose voice a request means: the source of its prompt, and the prompt."""

from collections.abc import Mapping

from engines.contract.contract import Engine, EngineInfo
from studio.errors import ClipMissing
from studio.prompts.cache import Lookup
from studio.prompts.prompts import Prompts
from studio.prompts.source import PromptSource
from studio.speakers.shelf import Shelf
from studio.speech.request import SpeechRequest
from studio.speech.source import source_of
from studio.timeline import Timeline

__all__ = ["found"]


def found(
    request: SpeechRequest,
    opened: Engine,
    timeline: Timeline,
    *,
    shelf: Shelf,
    engines: Mapping[str, EngineInfo],
    prompts: Prompts,
) -> tuple[PromptSource, Lookup]:
    """What `source_of` finds, and its prompt for the opened engine. A speaker who is replaced before the recording is read is the new one.

    Raises what `source_of` and extraction do, WordsMissing, ClipMissing.
    """
    source = source_of(request, opened.info, shelf, engines)
    while True:
        try:
            source = prompts.words.added_to(source, opened.info)
            source.check_words(opened.info)
            timeline.mark("resolved")
            return source, prompts.get(source.key(opened), source, timeline)
        except ClipMissing:
            before, source = source, source_of(request, opened.info, shelf, engines)
            if source.owner == before.owner:
                raise
