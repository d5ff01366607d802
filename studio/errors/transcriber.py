"""Errors of the transcriber: why the machine cannot write the words."""

from studio.errors.studio_error import StudioError

__all__ = ["TranscriberBusy", "TranscriberFailed", "TranscriberMissing"]


class TranscriberMissing(StudioError):
    """None is set, or what it needs is not on this machine. lack: which of these. hint: how to get it."""

    code = "transcriber_missing"
    status = 404

    def __init__(self, lack: str, hint: str):
        super().__init__(detail=lack, hint=hint)


class TranscriberBusy(StudioError):
    code = "transcriber_busy"
    status = 503

    def __init__(self, waiting: int, retry_after_seconds: int):
        super().__init__(n=waiting, seconds=retry_after_seconds)
        self.retry_after_seconds = retry_after_seconds


class TranscriberFailed(StudioError):
    """It went wrong; the log has why."""

    code = "transcriber_failed"
