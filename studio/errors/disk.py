"""Errors of a disk, and the one rule that turns an OSError into one of them."""

import errno

from engines.durable import is_in_use
from studio.errors.studio_error import StudioError

__all__ = ["DiskError", "DiskFailed", "DiskFull", "DiskReadOnly", "FileInUse", "FileUnreadable", "disk_error"]

SPEAKERS = "SPEAKER_SAMPLES_DIR"  # the setting of the folder that nearly everything is kept in
FULL = (errno.ENOSPC, errno.EDQUOT)
READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)
# Not among them: what is no matter of a disk, as of connections and of too many open files, which is a defect, or somebody else's.
FAILED = (
    *(errno.EIO, errno.EFBIG, errno.EBUSY, errno.ENODEV, errno.ENXIO, errno.ESTALE, errno.ELOOP, errno.ENAMETOOLONG),
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENOTEMPTY, errno.EXDEV),
)


class DiskError(StudioError):
    """What was to be written was not."""


class DiskFull(DiskError):
    """setting: the environment variable that says where it lies. No path: strangers need not know it."""

    code = "disk_full"
    status = 507

    def __init__(self, setting: str = SPEAKERS):
        super().__init__(setting=setting)


class DiskReadOnly(DiskError):
    """The folder may be read and not written. setting: as for DiskFull."""

    code = "disk_read_only"
    status = 507

    def __init__(self, setting: str = SPEAKERS):
        super().__init__(setting=setting)


class DiskFailed(DiskError):
    """The disk gave an error of its own, which is in the log."""

    code = "disk_failed"


class FileInUse(DiskError):
    """Windows lets nobody move or remove what is open."""

    code = "file_in_use"
    status = 503
    retry_after_seconds = 1


class FileUnreadable(StudioError):
    """It is there, and the disk does not give it."""

    code = "file_unreadable"


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
