"""What the studio may raise beside the engines' errors (engines/errors.py): the same shape of fact, hint, code and parameter.

EngineError
├── CallerMistake
│   ├── RequestInvalid       a field of a request, in the contract's own sentence
│   │   └── SchemaInvalid    the request is not of the form that the contract says
│   ├── TextMissing, NothingSpoken  a TextUnspeakable: there is none; none beside what the engine leaves out
│   ├── SpeakerUnknown, SpeakerRequired
│   ├── NameInvalid, NameReserved, NameTaken, SpeakerExists, SpeakerLimitReached, ConsentMissing
│   ├── UndoTooLate, EntryUnknown, BundleUnusable
│   ├── EngineUnknown
│   ├── ClipTooShort, ClipTooLong  a ClipUnusable that knows its length
│   ├── AudioUndecodable, AudioTooLarge, AudioTypeUnsupported
│   ├── EngineInUse          it speaks or loads, so it is not unloaded
│   ├── PinsFull             pinned prompts have all of the cache that they may have
│   └── NothingToFetch       the engine's weights need no fetching
├── LicenceNotAccepted      an EngineUnavailable: its licence forbids uses, and nobody has accepted that here
├── FetchesBusy             too many recordings are being fetched from the internet
├── EngineBusy              the queue is full: come back in `retry_after_seconds`
├── NoAudio                 the engine ended without a sample, or with samples that are not numbers
├── ClipMissing             the speaker's recording is gone from disk or damaged
└── SpeechCancelled         the listener hung up, or the studio is closing
"""

import math

from engines.errors import CallerMistake, ClipUnusable, EngineError, EngineFailed, EngineUnavailable, TextUnspeakable

__all__ = [
    "AudioTooLarge",
    "AudioTypeUnsupported",
    "AudioUndecodable",
    "BundleUnusable",
    "ClipMissing",
    "ClipTooLong",
    "ClipTooShort",
    "ConsentMissing",
    "EngineBusy",
    "EngineInUse",
    "EngineUnknown",
    "EntryUnknown",
    "FetchesBusy",
    "LicenceNotAccepted",
    "NameInvalid",
    "NameReserved",
    "NameTaken",
    "NoAudio",
    "NothingSpoken",
    "NothingToFetch",
    "PinsFull",
    "RequestInvalid",
    "SchemaInvalid",
    "SpeakerExists",
    "SpeakerLimitReached",
    "SpeakerRequired",
    "SpeakerUnknown",
    "SpeechCancelled",
    "TextMissing",
    "UndoTooLate",
]


_TENTH = (1 << 20) / 10  # of a MB, as sizes are shown


class RequestInvalid(CallerMistake):
    """fact: the contract's sentence. code: stable, for programs. parameter: the request's field."""

    def __init__(self, code: str, fact: str, parameter: str | None = None, hint: str = "", **values: object):
        super().__init__(fact, hint, **values)
        self.code = code
        self.parameter = parameter

    @classmethod
    def instead_of(cls, error: EngineError, fact: str, parameter: str, hint: str) -> "RequestInvalid":
        """That error, as the contract says it of a request."""
        return cls(error.code, fact, parameter, hint, **error.values)


class SchemaInvalid(RequestInvalid):
    """parameter: the dotted place of the first thing that is wrong."""

    code = "schema_invalid"

    def __init__(self, fact: str, parameter: str | None = None, **values: object):
        super().__init__("schema_invalid", fact, parameter, **values)


class TextMissing(TextUnspeakable):
    """An empty text, or nothing but spaces."""

    def __init__(self):
        super().__init__("There is nothing to say: the text is empty.", "Type a sentence.", sentence="text_missing")


class NothingSpoken(TextUnspeakable):
    """The text holds nothing but markup that the engine does not obey. marks: as they are shown."""

    def __init__(self, title: str, marks: str):
        fact = f"There is nothing to say: the text holds nothing but what {title} leaves out: {marks}."
        hint = "Type words beside it, or choose an engine that understands it."
        super().__init__(fact, hint, sentence="text_all_left_out", engine=title, marks=marks)


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


class UndoTooLate(CallerMistake):
    """What was deleted is gone for good."""

    code = "undo_too_late"


class EntryUnknown(CallerMistake):
    """The history has no such entry (any more)."""

    code = "entry_unknown"


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


class WorkspaceFull(CallerMistake):
    """A workspace has as many speakers as one may have."""

    code = "workspace_full"
    parameter = "name"

    def __init__(self, limit: int):
        hint = "Delete one first; what is exported can be imported again."
        super().__init__(f"There are {limit} voices of yours, the limit.", hint, n=limit)
        self.limit = limit


class WorkspaceRequired(CallerMistake):
    """Visitors are kept apart, and a request that would keep something does not say whose it is."""

    code = "workspace_required"

    def __init__(self):
        super().__init__(
            "This studio keeps its visitors apart, and the request does not say whose voice it would be.",
            "Use the page, send a key of yours, or send the recording as ref_audio with each request.",
        )


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


class EngineUnknown(CallerMistake):
    code = "engine_unknown"
    parameter = "engine"

    def __init__(self, name: str, known: tuple[str, ...]):
        super().__init__(f"There is no engine {name!r}.", f"Engines: {', '.join(known)}.", name=name)
        self.name = name


class EngineInUse(CallerMistake):
    """n_requests: at which the engine is at work; 0 while it is being loaded."""

    code = "engine_in_use"
    parameter = "engine"

    def __init__(self, title: str, n_requests: int):
        doing = f"at work for {'one request' if n_requests == 1 else f'{n_requests} requests'}" if n_requests else "being loaded"
        super().__init__(
            f"{title} is {doing}, so it stays loaded.",
            "Stop that, or try again when it has ended.",
            sentence="engine_in_use" if n_requests else "engine_loading",
            engine=title,
            n=n_requests,
        )


class PinsFull(CallerMistake):
    """fact: with the numbers. setting: the environment variable that would make room."""

    code = "pins_full"

    def __init__(self, fact: str, setting: str, **values: object):
        super().__init__(fact, f"Unpin another one, or raise {setting}.", **values)


class NothingToFetch(CallerMistake):
    code = "nothing_to_fetch"
    parameter = "engine"

    def __init__(self, title: str):
        super().__init__(f"The weights of {title} need no fetching.", "Load it.", engine=title)


class LicenceNotAccepted(EngineUnavailable):
    """Weights are not fetched before their terms were accepted. restriction: what the licence forbids."""

    code = "licence_not_accepted"

    def __init__(self, engine: str, title: str, licence: str, restriction: str):
        fact = f"The weights of {title} are under {licence}, which forbids {restriction}; nobody has accepted that here."
        super().__init__(fact, engine=title, licence=licence, restriction=restriction)
        self.hint = f"Accept it on the page, under Cache & models, or name {engine} in STUDIO_ACCEPT_LICENCES."


class AudioUndecodable(CallerMistake):
    """reason: what the decoder said, without paths."""

    code = "audio_undecodable"
    parameter = "clip"

    def __init__(self, reason: str, **values: object):
        super().__init__(f"This file is not audio we can read: {reason}.", "Send WAV, FLAC, MP3, OGG, M4A, AAC, AIFF or WebM.", **values)
        self.reason = reason


class AudioTooLarge(CallerMistake):
    code = "audio_too_large"
    parameter = "clip"

    def __init__(self, size_bytes: int, limit_bytes: int):
        size = math.ceil(size_bytes / 1e5) / 10  # up, so that no file has just the limit and is refused
        hint = "Save it as MP3 or FLAC, or cut it: a 20-second WAV is about 2 MB."
        fact = f"The file has {size:.1f} MB; the limit is {limit_bytes / 1e6:.1f} MB."
        super().__init__(fact, hint, size_bytes=math.ceil(size_bytes / _TENTH) * _TENTH, most_bytes=limit_bytes)
        self.size_bytes = size_bytes
        self.limit_bytes = limit_bytes


class AudioTypeUnsupported(CallerMistake):
    code = "audio_type_unsupported"
    parameter = "clip"

    def __init__(self, mime_type: str, allowed: tuple[str, ...]):
        super().__init__(f"Files of type {mime_type!r} are not taken.", f"Allowed: {', '.join(allowed)}.", type=mime_type)
        self.mime_type = mime_type
        self.allowed = allowed


class ClipTooShort(ClipUnusable):
    """seconds: of what was measured. what: the word for it, as a person knows it."""

    def __init__(self, seconds: float, least_seconds: float, what: str = "recording"):
        fact = f"The {what} has {seconds:.2f} s; at least {least_seconds:g} s are needed."
        super().__init__("clip_too_short", fact, "Widen it, or record more.", seconds=seconds, least_seconds=least_seconds)
        self.seconds = seconds
        self.least_seconds = least_seconds


class ClipTooLong(ClipUnusable):
    """seconds: of the recording, all of it; of a region of one, where `region` is the word for it."""

    def __init__(self, seconds: float, most_seconds: float, region: str = ""):
        fact, hint = f"The recording has {seconds:.1f} s; at most {most_seconds:.0f} s are taken.", "Cut it to 3-15 s of clear speech."
        if region:
            fact, hint = f"The {region} has {seconds:.1f} s; the limit is {most_seconds:g} s.", "Trim it to 6 to 20 s of speech."
        super().__init__("clip_too_long", fact, hint, seconds=seconds, most_seconds=most_seconds)
        self.seconds = seconds
        self.most_seconds = most_seconds


class FetchesBusy(EngineError):
    code = "remote_audio_busy"
    parameter = "clip"

    def __init__(self, most: int, retry_after_seconds: int):
        super().__init__(
            f"{most} reference recordings are being fetched already.",
            "Try again in a moment, or send the recording as a base64 data URL.",
            n=most,
        )
        self.retry_after_seconds = retry_after_seconds


class EngineBusy(EngineError):
    code = "engine_busy"

    def __init__(self, engine: str, waiting: int, retry_after_seconds: int):
        hint = f"Try again in {retry_after_seconds} s."
        super().__init__(f"{engine} has {waiting} requests waiting, its limit.", hint, n=waiting, seconds=retry_after_seconds)
        self.retry_after_seconds = retry_after_seconds


class NoAudio(EngineFailed):
    code = "no_audio"


class ClipMissing(EngineError):
    code = "clip_missing"
    parameter = "speaker"

    def __init__(self, name: str):
        super().__init__(f"The recording of speaker {name!r} is gone from disk or damaged.", "Upload it again.", name=name)
        self.name = name


class SpeechCancelled(EngineError):
    code = "speech_cancelled"
