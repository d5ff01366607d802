"""Errors of exports: why a script does not become a file, or its speech no part of a video."""

from studio.errors.scripts import ScriptMistake

__all__ = [
    "ExportEmpty",
    "LinesStale",
    "LinesUnsaid",
    "VideoTooLarge",
    "VideoTooLong",
    "VideoUnreadable",
    "VideoWithoutPicture",
]


class LinesUnsaid(ScriptMistake):
    """n: lines of those asked for that have no take; n_lines: of all that were asked for."""

    code = "lines_unsaid"
    status = 409

    def __init__(self, n: int, n_lines: int):
        super().__init__(hint='Say them first, or export with "missing": "skip".', n=n, lines=n_lines)


class LinesStale(ScriptMistake):
    """n: lines of those asked for whose take is of an earlier text, voice or setting; n_lines: of all that were asked for."""

    code = "lines_stale"
    status = 409

    def __init__(self, n: int, n_lines: int):
        super().__init__(hint='Say them again, or export with "stale": "include".', n=n, lines=n_lines)


class ExportEmpty(ScriptMistake):
    """None of the lines that were asked for is heard."""

    code = "export_empty"


class VideoUnreadable(ScriptMistake):
    """It is no video that FFmpeg reads, or damaged."""

    code = "video_unreadable"
    parameter = "video"


class VideoWithoutPicture(ScriptMistake):
    """It holds no video stream."""

    code = "video_without_picture"
    parameter = "video"


class VideoTooLarge(ScriptMistake):
    code = "video_too_large"
    status = 413
    parameter = "video"

    def __init__(self, size_bytes: int, most_bytes: int):
        super().__init__(size_bytes=size_bytes, most_bytes=most_bytes)


class VideoTooLong(ScriptMistake):
    code = "video_too_long"
    parameter = "video"

    def __init__(self, seconds: float, most_seconds: float):
        super().__init__(seconds=seconds, most_seconds=most_seconds)
