"""Errors of scripts: why one cannot be kept, edited, said or read."""

from engines.errors import CallerMistake
from studio.errors.studio_error import StudioError

__all__ = [
    "CoverUnknown",
    "CoverUnusable",
    "EditRefused",
    "LineUnknown",
    "MendRefused",
    "NothingToUndo",
    "RevisionMoved",
    "ScriptFailed",
    "ScriptFileUnusable",
    "ScriptLimitReached",
    "ScriptMistake",
    "ScriptOwnerUnknown",
    "ScriptSoundsFull",
    "ScriptTakeDamaged",
    "ScriptTooLong",
    "ScriptUnknown",
    "ScriptsNewer",
    "ScriptsUnreadable",
    "TakeUnknown",
]


class ScriptMistake(StudioError, CallerMistake):
    """Of a script."""


class ScriptUnknown(ScriptMistake):
    """There is none of that id, or it is somebody else's: nobody can tell which."""

    code = "script_unknown"
    status = 404
    parameter = "script"


class ScriptOwnerUnknown(ScriptMistake):
    """Visitors are kept apart, and a request that would make a script does not say whose it is."""

    code = "script_owner_unknown"
    status = 403


class LineUnknown(ScriptMistake):
    """The script has none of that id."""

    code = "script_line_unknown"
    status = 404
    parameter = "line"


class TakeUnknown(ScriptMistake):
    """The line has none of that id."""

    code = "script_take_unknown"
    status = 404
    parameter = "take"


class ScriptLimitReached(ScriptMistake):
    """limit: scripts that one workspace may have."""

    code = "script_limit_reached"
    status = 409

    def __init__(self, limit: int):
        super().__init__(n=limit)


class ScriptTooLong(ScriptMistake):
    """what: "lines" or "characters", of which it would have n."""

    code = "script_too_long"
    status = 409

    def __init__(self, what: str, n: int, most: int):
        super().__init__(sentence="script_too_many_lines" if what == "lines" else "script_too_many_characters", n=n, most=most)


class ScriptSoundsFull(ScriptMistake):
    """Of all scripts of a workspace together."""

    code = "script_sounds_full"
    status = 409

    def __init__(self, n_bytes: int, most_bytes: int):
        super().__init__(size_bytes=n_bytes, most_bytes=most_bytes)


class RevisionMoved(ScriptMistake):
    """An edit was meant for an earlier revision. Nothing of it was done."""

    code = "script_moved"
    status = 409
    parameter = "revision"

    def __init__(self, revision: int):
        super().__init__(revision=revision)
        self.revision = revision


class EditRefused(ScriptMistake):
    """sentence: which fact it is, with its values."""

    code = "script_edit_refused"
    parameter = "edits"


class MendRefused(ScriptMistake):
    """Words of a take are not mended. sentence: which fact it is."""

    code = "script_mend_refused"
    parameter = "text"


class NothingToUndo(ScriptMistake):
    """Or to redo."""

    code = "script_nothing_to_undo"
    status = 409

    def __init__(self, *, redo: bool = False):
        super().__init__(sentence="script_nothing_to_redo" if redo else "script_nothing_to_undo")


class CoverUnusable(ScriptMistake):
    """sentence: which fact it is, with its values."""

    code = "script_cover_unusable"
    parameter = "cover"


class CoverUnknown(ScriptMistake):
    """The script has none."""

    code = "script_cover_unknown"
    status = 404


class ScriptFileUnusable(ScriptMistake):
    """detail: what is wrong, in English, for programs. values: of another sentence than its own, "sentence" among them."""

    code = "script_file_unusable"
    parameter = "file"

    def __init__(self, detail: str = "", hint: str = "", **values: object):
        super().__init__(detail=detail, hint=hint, **values)


class ScriptTakeDamaged(StudioError):
    """Its file is gone, or is not what was kept."""

    code = "script_take_damaged"


class ScriptFailed(StudioError):
    """Lines were not said; the log has why."""

    code = "script_failed"


class ScriptsUnreadable(StudioError):
    """The file that keeps all scripts is damaged, or of something else. It is left as it is."""

    code = "scripts_unreadable"
    status = 503


class ScriptsNewer(StudioError):
    """The file that keeps all scripts was written by a later version. It is left as it is. version: of the file's form."""

    code = "scripts_newer"
    status = 503

    def __init__(self, version: int):
        super().__init__(n=version)
