"""Errors of a disk, and the one rule that turns an OSError into one of them."""

import errno

from engines.durable import is_in_use
from engines.errors import EngineError

__all__ = ["DiskError", "DiskFailed", "DiskFull", "DiskReadOnly", "FileInUse", "FileUnreadable", "disk_error"]

SPEAKERS = "SPEAKER_SAMPLES_DIR"  # the setting of the folder that nearly everything is kept in
FULL = (errno.ENOSPC, errno.EDQUOT)
READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)
# Not among them: what is no matter of a disk, as of connections and of too many open files, which is a defect, or somebody else's.
FAILED = (
    *(errno.EIO, errno.EFBIG, errno.EBUSY, errno.ENODEV, errno.ENXIO, errno.ESTALE, errno.ELOOP, errno.ENAMETOOLONG),
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENOTEMPTY, errno.EXDEV),
)


class DiskError(EngineError):
    """What was to be written was not."""


class DiskFull(DiskError):
    """setting: the environment variable that says where it lies. No path: strangers need not know it."""

    code = "disk_full"

    def __init__(self, setting: str = SPEAKERS):
        fact = "The studio's disk is full. Nothing was saved, and nothing was deleted."
        hint = f"Delete voices or kept speech, which works on a full disk, too; or free some space where {setting} points. Then try again."
        super().__init__(fact, hint, setting=setting)


class DiskReadOnly(DiskError):
    """The folder may be read and not written. setting: as for DiskFull."""

    code = "disk_read_only"

    def __init__(self, setting: str = SPEAKERS):
        fact = "The studio may not write to its disk. Nothing was saved, and nothing was deleted."
        hint = f"Whoever runs the studio can make the folder writable that {setting} points to, or choose another."
        super().__init__(fact, hint, setting=setting)


class DiskFailed(DiskError):
    """The disk gave an error of its own, which is in the log."""

    code = "disk_failed"

    def __init__(self):
        hint = "Try again. Whoever runs this machine finds the reason in its log."
        super().__init__("The studio's disk does not work as it should.", hint)


class FileInUse(DiskError):
    """Windows lets nobody move or remove what is open."""

    code = "file_in_use"

    def __init__(self):
        fact = "Another program has a file of the studio open, so it could not be changed. Nothing was saved, and nothing was deleted."
        super().__init__(fact, "Close the program that has it open, or wait until a virus scanner is done. Then try again.")


class FileUnreadable(EngineError):
    """It is there, and the disk does not give it."""

    code = "file_unreadable"

    def __init__(self):
        super().__init__("The file could not be read from disk.", "Try again; the log names the reason.")


def disk_error(error: BaseException | None, setting: str = SPEAKERS) -> DiskError | None:
    """What people are told of an OSError of a disk; None for anything else. setting: of what was to be written."""
    if is_in_use(error):
        return FileInUse()
    number = error.errno if isinstance(error, OSError) else None
    if number in FULL:
        return DiskFull(setting)
    if number in READ_ONLY:
        return DiskReadOnly(setting)
    return DiskFailed() if number in FAILED else None
