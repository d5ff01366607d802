"""Errors of a speaker: why it cannot be found, kept, named or changed."""

from collections.abc import Mapping

from engines.errors import CallerMistake, EmbeddingUnusable, TranscriptRequired
from studio.errors.studio_error import StudioError

__all__ = [
    "AliasBroken",
    "AliasesFull",
    "BundleUnusable",
    "ClipMissing",
    "ConsentMissing",
    "DesignUnavailable",
    "NameInvalid",
    "NameReserved",
    "NameTaken",
    "PromptUntaken",
    "SpeakerExists",
    "SpeakerLimitReached",
    "SpeakerNotYours",
    "SpeakerRequired",
    "SpeakerShadowed",
    "SpeakerUnknown",
    "SpeakersUnreachable",
    "WordsMissing",
    "WorkspaceFull",
]


class SpeakerUnknown(StudioError, CallerMistake):
    code = "speaker_unknown"
    status = 404
    parameter = "speaker"

    def __init__(self, name: str, nearest: tuple[str, ...] = ()):
        super().__init__(
            hint="" if nearest else "Create the speaker first.",
            sentence="speaker_unknown_but_near" if nearest else "speaker_unknown",
            name=name,
            nearest=nearest,
        )
        self.name = name
        self.nearest = nearest


class SpeakerShadowed(StudioError, CallerMistake):
    """A stored speaker, found in the folder, is called as built-in ones are: whoever says the name may mean either, so neither speaks.

    titles: of the engines that those are built into.
    """

    code = "speaker_shadowed"
    status = 409
    parameter = "speaker"

    def __init__(self, name: str, titles: tuple[str, ...]):
        super().__init__(
            hint="Rename the stored one on the page, or upload it under another name, to hear it; delete it to hear the built-in one.",
            name=name,
            engines=titles,
        )


class SpeakersUnreachable(StudioError):
    """The folder cannot be looked at, so nobody knows which of its speakers were deleted or replaced meanwhile. reason: the system's."""

    code = "speakers_unreachable"
    status = 503
    parameter = "speaker"

    def __init__(self, reason: str):
        hint = "Speak with a built-in speaker or send a recording, or try again when whoever runs the studio has mended it."
        super().__init__(hint=hint, detail=reason, reason=reason)


class SpeakerRequired(StudioError, CallerMistake):
    code = "speaker_required"
    parameter = "speaker"

    def __init__(self, title: str):
        super().__init__(hint="Name a speaker, or send a recording.", engine=title)


class NameInvalid(StudioError, CallerMistake):
    """rule: what the name does not keep, as the contract's sentence has it. sentence: which fact it is, with its values."""

    code = "name_invalid"
    parameter = "name"

    def __init__(self, name: str, rule: str, **values: object):
        super().__init__(hint="", detail=rule, name=name[:80], **values)
        self.name = name
        self.rule = rule


class NameReserved(StudioError, CallerMistake):
    """It belongs to a built-in speaker, or to a voice that everybody has."""

    code = "name_reserved"
    parameter = "name"

    def __init__(self, name: str, *, built_in: bool = True):
        super().__init__(sentence="name_built_in" if built_in else "name_of_everybody", name=name)
        self.built_in = built_in
        self.name = name


class NameTaken(StudioError, CallerMistake):
    """Another speaker has the name, and nobody asked to replace it."""

    code = "name_taken"
    parameter = "name"

    def __init__(self, name: str):
        super().__init__(hint="Choose another name, or delete that one first.", name=name)


class BundleUnusable(StudioError, CallerMistake):
    """A file that is no speaker bundle of ours. sentence: which fact it is, with its values."""

    code = "bundle_unusable"
    parameter = "bundle"


class SpeakerExists(StudioError, CallerMistake):
    """The registration policy is "immutable" and the name is taken."""

    code = "speaker_exists"
    parameter = "name"

    def __init__(self, name: str):
        super().__init__(name=name)
        self.name = name


class SpeakerLimitReached(StudioError, CallerMistake):
    code = "speaker_limit_reached"
    parameter = "name"

    def __init__(self, limit: int):
        super().__init__(hint="Delete a speaker, or raise SPEAKER_MAX_UPLOADED.", n=limit)
        self.limit = limit


class AliasBroken(StudioError, CallerMistake):
    """A name was set to stand for a speaker, whom the engine does not have. Nobody else speaks in place of him."""

    code = "alias_broken"
    parameter = "speaker"

    def __init__(self, alias: str, name: str):
        hint = f"Let {alias!r} stand for another one: on the page, in Voices, or by STUDIO_VOICE_ALIASES={alias}=VOICE."
        super().__init__(hint=hint, alias=alias, name=name)


class AliasesFull(StudioError, CallerMistake):
    code = "aliases_full"
    parameter = "name"

    def __init__(self, most: int):
        super().__init__(most=most)


class WorkspaceFull(StudioError, CallerMistake):
    """A workspace has as many speakers as one may have."""

    code = "workspace_full"
    parameter = "name"

    def __init__(self, limit: int):
        super().__init__(n=limit)
        self.limit = limit


class SpeakerNotYours(StudioError, CallerMistake):
    """A speaker that everybody hears, and nobody but whoever runs the studio may change."""

    code = "speaker_not_yours"
    status = 403
    parameter = "name"

    def __init__(self, name: str):
        super().__init__(name=name)


class ConsentMissing(StudioError, CallerMistake):
    """sentence: which fact it is, with its values."""

    code = "consent_missing"
    parameter = "consent"


class DesignUnavailable(StudioError, CallerMistake):
    """No engine here can make a voice after a description. titles: of those that could. lacking: what is missing, a sentence for each."""

    code = "design_unavailable"
    parameter = "model"

    def __init__(self, titles: tuple[str, ...], lacking: tuple[str, ...] = ()):
        super().__init__(detail=" ".join(lacking), sentence="design_unavailable" if titles else "design_unoffered", engines=titles)


class ClipMissing(StudioError):
    code = "clip_missing"
    status = 400
    parameter = "speaker"

    def __init__(self, name: str):
        super().__init__(hint="Upload it again.", detail=repr(name), name=name)
        self.name = name


class PromptUntaken(StudioError, EmbeddingUnusable):
    """A stored speaker is what other tools made for another engine. takers: titles of the engines that take it, by id."""

    def __init__(self, name: str, title: str, takers: Mapping[str, str]):
        super().__init__(
            hint=f"Choose an engine that does: {', '.join(takers)}." if takers else "Upload a recording of the voice instead.",
            sentence="tensor_taken_by" if takers else "tensor_untaken",
            name=name,
            engine=title,
            engines=tuple(takers.values()),
        )


class WordsMissing(StudioError, TranscriptRequired):
    """An engine cannot do without the words of a recording, and they are not known. name: of the stored speaker;
    "" for a recording of a request."""

    def __init__(self, title: str, name: str = ""):
        hint = "" if name else "Send what is said, word for word."
        super().__init__(hint=hint, sentence="transcript_of_voice" if name else "transcript_required", engine=title, name=name)
        self.name = name
