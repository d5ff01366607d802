"""Errors of a speaker: why it cannot be found, kept, named or changed."""

from collections.abc import Mapping

from engines.errors import CallerMistake, EmbeddingUnusable, EngineError, TranscriptRequired

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


class SpeakerUnknown(CallerMistake):
    code = "speaker_unknown"
    parameter = "speaker"

    def __init__(self, name: str, nearest: tuple[str, ...] = ()):
        hint = f"Did you mean {', '.join(nearest)}?" if nearest else "Create the speaker first."
        super().__init__(
            f"There is no speaker {name!r}.",
            hint,
            sentence="speaker_unknown_but_near" if nearest else "speaker_unknown",
            name=name,
            nearest=nearest,
        )
        self.name = name
        self.nearest = nearest


class SpeakerShadowed(CallerMistake):
    """A stored speaker, found in the folder, is called as built-in ones are: whoever says the name may mean either, so neither speaks.

    titles: of the engines that those are built into.
    """

    code = "speaker_shadowed"
    parameter = "speaker"

    def __init__(self, name: str, titles: tuple[str, ...]):
        super().__init__(
            f"{name!r} names two voices: a stored one, and one that is built into {', '.join(titles)}.",
            "Rename the stored one on the page, or upload it under another name, to hear it; delete it to hear the built-in one.",
            name=name,
            engines=titles,
        )
        self.name = name
        self.titles = titles


class SpeakersUnreachable(EngineError):
    """The folder cannot be looked at, so nobody knows which of its speakers were deleted or replaced meanwhile. reason: the system's."""

    code = "speakers_unreachable"
    parameter = "speaker"

    def __init__(self, reason: str):
        super().__init__(
            f"The folder of the speakers cannot be read: {reason}.",
            "Speak with a built-in speaker or send a recording, or try again when whoever runs the studio has mended it.",
            reason=reason,
        )
        self.reason = reason


class SpeakerRequired(CallerMistake):
    code = "speaker_required"
    parameter = "speaker"


class NameInvalid(CallerMistake):
    code = "name_invalid"
    parameter = "name"

    def __init__(self, name: str, rule: str, **values: object):
        super().__init__(f"{name[:80]!r} cannot name a speaker: {rule}.", "Choose another name.", name=name[:80], **values)
        self.name = name
        self.rule = rule


class NameReserved(CallerMistake):
    code = "name_reserved"
    parameter = "name"

    def __init__(self, name: str, *, built_in: bool = True):
        whose = "a built-in speaker" if built_in else "a voice that everybody has"
        super().__init__(
            f"The name {name!r} belongs to {whose}.",
            "Choose another name.",
            sentence="name_built_in" if built_in else "name_of_everybody",
            name=name,
        )
        self.built_in = built_in
        self.name = name


class NameTaken(CallerMistake):
    """Another speaker has the name, and nobody asked to replace it."""

    code = "name_taken"
    parameter = "name"

    def __init__(self, name: str):
        super().__init__(f"There is a speaker {name!r} already.", "Choose another name, or delete that one first.", name=name)
        self.name = name


class BundleUnusable(CallerMistake):
    """A file that is no speaker bundle of ours."""

    code = "bundle_unusable"
    parameter = "bundle"

    def __init__(self, fact: str, hint: str = "Ask for a .voice.zip that was exported by a studio.", **values: object):
        super().__init__(fact, hint, **values)


class SpeakerExists(CallerMistake):
    """The registration policy is "immutable" and the name is taken."""

    code = "speaker_exists"
    parameter = "name"

    def __init__(self, name: str):
        fact = f"The speaker {name!r} exists and the registration policy is 'immutable'."
        super().__init__(fact, "Delete it first, or choose another name.", name=name)
        self.name = name


class SpeakerLimitReached(CallerMistake):
    code = "speaker_limit_reached"
    parameter = "name"

    def __init__(self, limit: int):
        super().__init__(f"The limit of {limit} speakers is reached.", "Delete a speaker, or raise SPEAKER_MAX_UPLOADED.", n=limit)
        self.limit = limit


class AliasBroken(CallerMistake):
    """A name was set to stand for a speaker, whom the engine does not have. Nobody else speaks in place of him."""

    code = "alias_broken"
    parameter = "speaker"

    def __init__(self, alias: str, name: str):
        super().__init__(
            f"The name {alias!r} stands for the voice {name!r}, which this engine does not have.",
            f"Let {alias!r} stand for another one: on the page, in Voices, or by STUDIO_VOICE_ALIASES={alias}=VOICE.",
            alias=alias,
            name=name,
        )


class AliasesFull(CallerMistake):
    code = "aliases_full"
    parameter = "name"

    def __init__(self, most: int):
        super().__init__(f"There are {most} other names of voices already; there may be no more.", "Remove one first.", most=most)


class WorkspaceFull(CallerMistake):
    """A workspace has as many speakers as one may have."""

    code = "workspace_full"
    parameter = "name"

    def __init__(self, limit: int):
        hint = "Delete one first; what is exported can be imported again."
        super().__init__(f"There are {limit} voices of yours, the limit.", hint, n=limit)
        self.limit = limit


class SpeakerNotYours(CallerMistake):
    """A speaker that everybody hears, and nobody but whoever runs the studio may change."""

    code = "speaker_not_yours"
    parameter = "name"

    def __init__(self, name: str):
        super().__init__(f"{name} is everybody's voice; it cannot be changed or deleted here.", "Make one of your own.", name=name)
        self.name = name


class ConsentMissing(CallerMistake):
    code = "consent_missing"
    parameter = "consent"


class DesignUnavailable(CallerMistake):
    """No engine here can make a voice after a description. titles: of those that could. lacking: what is missing, a sentence for each."""

    code = "design_unavailable"
    parameter = "model"

    def __init__(self, titles: tuple[str, ...], lacking: tuple[str, ...] = ()):
        could = f"{', '.join(titles)} could: {' '.join(lacking)}".strip() if titles else "None on offer could."
        super().__init__(
            f"No engine here can make a voice after a description now. {could}",
            "Open one of them, or create the voice from a recording." if titles else "Create the voice from a recording.",
            sentence="design_unavailable" if titles else "design_unoffered",
            engines=titles,
        )


class ClipMissing(EngineError):
    code = "clip_missing"
    parameter = "speaker"

    def __init__(self, name: str):
        super().__init__(f"The recording of speaker {name!r} is gone from disk or damaged.", "Upload it again.", name=name)
        self.name = name


class PromptUntaken(EmbeddingUnusable):
    """A stored speaker is what other tools made for another engine. takers: titles of the engines that take it, by id."""

    def __init__(self, name: str, title: str, takers: Mapping[str, str]):
        super().__init__(
            f"{name!r} was made by other tools, in a form that {title} does not take.",
            f"Choose an engine that does: {', '.join(takers)}." if takers else "Upload a recording of the voice instead.",
            sentence="tensor_taken_by" if takers else "tensor_untaken",
            name=name,
            engine=title,
            engines=tuple(takers.values()),
        )


class WordsMissing(TranscriptRequired):
    """An engine cannot do without the words of a recording, and they are not known. name: of the stored speaker;
    "" for a recording of a request."""

    def __init__(self, title: str, name: str = ""):
        whose = f"of {name!r}, and they are not known" if name else "that it learns a voice from"
        super().__init__(
            f"{title} needs the exact words of the recording {whose}.",
            "Edit the voice on the page and type what is said, word for word." if name else "Send what is said, word for word.",
            sentence="transcript_of_voice" if name else "transcript_required",
            engine=title,
            name=name,
        )
        self.name = name
