"""Errors about a recording."""

import math

from engines.errors import CallerMistake, ClipUnusable, EngineError

__all__ = [
    "AudioTooLarge",
    "AudioTypeUnsupported",
    "AudioUndecodable",
    "ChannelsDiffer",
    "ClipTooLong",
    "ClipTooShort",
    "FetchesBusy",
    "RecordedSpeechUnusable",
    "RecordingsTooLong",
    "RecordingsTooMany",
]


_TENTH = (1 << 20) / 10  # of a MB, as sizes are shown


class AudioUndecodable(CallerMistake):
    """reason: what it is instead, or what is wrong with it."""

    code = "audio_undecodable"
    parameter = "clip"

    def __init__(self, reason: str, hint: str = "Send WAV, FLAC, MP3, OGG, M4A, AAC, AIFF or WebM.", **values: object):
        super().__init__(f"This file is not audio we can read: {reason}.", hint, **values)
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


class ChannelsDiffer(ClipUnusable):
    """Different people speak in its channels: any choice might be the wrong one."""

    def __init__(self, n_channels: int):
        fact = f"Different people speak in the {n_channels} channels of the recording."
        hint = "Save the channel of the person whose voice it should be as a mono file, and send that."
        super().__init__("clip_channels_differ", fact, hint, n=n_channels)


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


class RecordingsTooLong(ClipUnusable):
    """seconds: of several recordings together."""

    def __init__(self, seconds: float, most_seconds: float):
        fact = f"The recordings have {seconds:.1f} s together; at most {most_seconds:g} s are taken."
        hint = "Keep 3-15 s of clear speech of each, or fewer of them."
        super().__init__("clip_too_long", fact, hint, sentence="clips_too_long", seconds=seconds, most_seconds=most_seconds)


class RecordingsTooMany(CallerMistake):
    code = "recordings_too_many"
    parameter = "clip"

    def __init__(self, n_recordings: int, most: int):
        fact = f"There are {n_recordings} recordings; a voice is made of {most} at most."
        super().__init__(fact, "Send the clearest ones.", n=n_recordings, most=most)


class RecordedSpeechUnusable(ClipUnusable):
    """Recorded speech that was to be said in another voice; of that voice no recording is meant."""

    parameter = "source"

    @classmethod
    def too_long(cls, seconds: float, most_seconds: float, title: str) -> "RecordedSpeechUnusable":
        """title: of the engine that was to convert it."""
        fact = f"The speech to convert has {seconds:.1f} s; {title} converts {most_seconds:g} s at a time."
        hint = "Cut it at a pause, and convert each part by itself."
        return RecordedSpeechUnusable(
            "clip_too_long", fact, hint, sentence="source_too_long", seconds=seconds, most_seconds=most_seconds, engine=title
        )

    @classmethod
    def instead_of(cls, error: ClipUnusable) -> "RecordedSpeechUnusable":
        """That error, which an engine raised of the speech that it was to convert."""
        return cls(error.code, error.fact, error.hint, **error.values)


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
