"""Errors about a recording."""

import math
from typing import Self

from engines.errors import CallerMistake, ClipUnusable
from studio.errors.studio_error import StudioError

__all__ = [
    "AudioTooLarge",
    "AudioTypeUnsupported",
    "AudioUndecodable",
    "ChannelsDiffer",
    "ClipTooLong",
    "ClipTooShort",
    "FetchesBusy",
    "RecordedSpeechTooLong",
    "RecordedSpeechUnusable",
    "RecordingUnusable",
    "RecordingsTooLong",
    "RecordingsTooMany",
]


_TENTH = (1 << 20) / 10  # of a MB, as sizes are shown


class AudioUndecodable(StudioError, CallerMistake):
    """reason: what it is instead, or what is wrong with it, as the contract's sentence about an upload has it."""

    code = "audio_undecodable"
    parameter = "clip"

    def __init__(self, reason: str, *, hint: str = "", detail: str = "", **values: object):
        super().__init__(hint=hint, detail=detail, **values)
        self.reason = reason


class AudioTooLarge(StudioError, CallerMistake):
    code = "audio_too_large"
    parameter = "clip"

    def __init__(self, size_bytes: int, limit_bytes: int):
        # up, so that no file has just the limit and is refused
        super().__init__(size_bytes=math.ceil(size_bytes / _TENTH) * _TENTH, most_bytes=limit_bytes)
        self.size_bytes = size_bytes
        self.limit_bytes = limit_bytes


class AudioTypeUnsupported(StudioError, CallerMistake):
    code = "audio_type_unsupported"
    parameter = "clip"

    def __init__(self, mime_type: str, allowed: tuple[str, ...]):
        super().__init__(hint=f"Allowed: {', '.join(allowed)}.", type=mime_type)
        self.mime_type = mime_type
        self.allowed = allowed


class ChannelsDiffer(StudioError, ClipUnusable):
    """Different people speak in its channels: any choice might be the wrong one."""

    code = "clip_channels_differ"

    def __init__(self, n_channels: int):
        super().__init__(n=n_channels)


class ClipTooShort(StudioError, ClipUnusable):
    """seconds: of what was measured."""

    code = "clip_too_short"

    def __init__(self, seconds: float, least_seconds: float):
        super().__init__(seconds=seconds, least_seconds=least_seconds)
        self.seconds = seconds
        self.least_seconds = least_seconds


class ClipTooLong(StudioError, ClipUnusable):
    """seconds: of the recording, all of it, or of a region of one."""

    code = "clip_too_long"

    def __init__(self, seconds: float, most_seconds: float):
        super().__init__(seconds=seconds, most_seconds=most_seconds)
        self.seconds = seconds
        self.most_seconds = most_seconds


class RecordingUnusable(StudioError, ClipUnusable):
    """Known before an engine has it. code: as of ClipUnusable. sentence: which fact it is, with its values."""

    def __init__(self, code: str, *, hint: str = "", detail: str = "", **values: object):
        self.code = code
        super().__init__(hint=hint, detail=detail, **values)


class RecordingsTooLong(StudioError, ClipUnusable):
    """seconds: of several recordings together."""

    code = "clip_too_long"

    def __init__(self, seconds: float, most_seconds: float):
        super().__init__(sentence="clips_too_long", seconds=seconds, most_seconds=most_seconds)


class RecordingsTooMany(StudioError, CallerMistake):
    code = "recordings_too_many"
    parameter = "clip"

    def __init__(self, n_recordings: int, most: int):
        super().__init__(n=n_recordings, most=most)


class RecordedSpeechUnusable(ClipUnusable):
    """Recorded speech that was to be said in another voice; of that voice no recording is meant."""

    parameter = "source"

    @classmethod
    def instead_of(cls, error: ClipUnusable) -> Self:
        """That error, which an engine raised of the speech that it was to convert."""
        return cls(error.code, error.fact, error.hint, detail="", **error.values)


class RecordedSpeechTooLong(StudioError, RecordedSpeechUnusable):
    """title: of the engine that was to convert it."""

    code = "clip_too_long"

    def __init__(self, seconds: float, most_seconds: float, title: str):
        super().__init__(sentence="source_too_long", seconds=seconds, most_seconds=most_seconds, engine=title)


class FetchesBusy(StudioError):
    code = "remote_audio_busy"
    status = 503
    parameter = "clip"

    def __init__(self, most: int, retry_after_seconds: int):
        super().__init__(hint="Try again in a moment, or send the recording as a base64 data URL.", n=most)
        self.retry_after_seconds = retry_after_seconds
