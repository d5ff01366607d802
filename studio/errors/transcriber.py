"""Errors of the transcriber: why the machine cannot write the words."""

from engines.errors import EngineError

__all__ = ["TranscriberBusy", "TranscriberFailed", "TranscriberMissing"]


class TranscriberMissing(EngineError):
    """None is set, or what it needs is not on this machine. fact: which of these."""

    code = "transcriber_missing"

    def __init__(self, fact: str, hint: str):
        super().__init__(fact, hint)


class TranscriberBusy(EngineError):
    code = "transcriber_busy"

    def __init__(self, waiting: int, retry_after_seconds: int):
        fact = f"{waiting} recordings wait for their words already, the limit."
        super().__init__(fact, f"Try again in {retry_after_seconds} s.", n=waiting, seconds=retry_after_seconds)
        self.retry_after_seconds = retry_after_seconds


class TranscriberFailed(EngineError):
    """It went wrong; the log has why."""

    code = "transcriber_failed"

    def __init__(self):
        super().__init__("The words of the recording could not be written down.", "Try again, or write them yourself.")
