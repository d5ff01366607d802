"""Errors of an engine that cannot work now."""

from engines.errors import CallerMistake, EngineFailed, EngineUnavailable
from studio.errors.studio_error import StudioError

__all__ = [
    "EngineBusy",
    "EngineFull",
    "EngineInUse",
    "EngineUnknown",
    "LearningUnfinished",
    "LicenseNotAccepted",
    "NoAudio",
    "NothingToFetch",
    "PinsFull",
    "ReleaseFixed",
    "ReleaseUnknown",
    "SpeechCancelled",
]


class EngineUnknown(StudioError, CallerMistake):
    code = "engine_unknown"
    status = 404
    parameter = "engine"

    def __init__(self, name: str, known: tuple[str, ...]):
        super().__init__(hint=f"Engines: {', '.join(known)}.", name=name)
        self.name = name


class EngineInUse(StudioError, CallerMistake):
    """n_requests: at which the engine is at work; 0 while it is being loaded."""

    code = "engine_in_use"
    parameter = "engine"

    def __init__(self, title: str, n_requests: int):
        super().__init__(sentence="engine_in_use" if n_requests else "engine_loading", engine=title, n=n_requests)


class PinsFull(StudioError, CallerMistake):
    """setting: the environment variable that would make room."""

    code = "pins_full"

    def __init__(self, setting: str, *, detail: str = "", **values: object):
        super().__init__(hint=f"Unpin another one, or raise {setting}.", detail=detail, **values)


class NothingToFetch(StudioError, CallerMistake):
    code = "nothing_to_fetch"
    parameter = "engine"

    def __init__(self, title: str):
        super().__init__(engine=title)


class ReleaseUnknown(StudioError, CallerMistake):
    """known: the repositories among which people choose, if any."""

    code = "release_unknown"
    parameter = "checkpoint"

    def __init__(self, name: str, title: str, known: tuple[str, ...]):
        hint = f"Its releases: {', '.join(known)}." if known else "Leave it as it is: there is nothing to choose."
        super().__init__(hint=hint, engine=title, name=name)


class ReleaseFixed(StudioError, CallerMistake):
    """setting: the environment variable that decides which weights are opened."""

    code = "release_fixed"
    parameter = "checkpoint"

    def __init__(self, title: str, setting: str):
        super().__init__(engine=title, setting=setting)


class LicenseNotAccepted(StudioError, EngineUnavailable):
    """Weights are not fetched before their terms were accepted. license: all of them. restriction: what they forbid."""

    code = "licence_not_accepted"
    command = ""

    def __init__(self, engine: str, title: str, license: str, restriction: str):
        hint = f"Accept it on the page, under Cache & models, or name {engine} in STUDIO_ACCEPT_LICENCES."
        super().__init__(hint=hint, engine=title, licence=license, restriction=restriction)


class EngineBusy(StudioError):
    code = "engine_busy"
    status = 503

    def __init__(self, engine: str, waiting: int, retry_after_seconds: int):
        super().__init__(engine=engine, n=waiting, seconds=retry_after_seconds)
        self.retry_after_seconds = retry_after_seconds


class EngineFull(EngineBusy):
    """It cannot feed one listener more. n: those that it serves, or that come before."""

    def __init__(self, engine: str, n: int, retry_after_seconds: int):
        StudioError.__init__(self, sentence="engine_full", engine=engine, n=n, seconds=retry_after_seconds)
        self.retry_after_seconds = retry_after_seconds


class LearningUnfinished(StudioError):
    """A voice is not learned as well as it gets. seconds: how long that was waited for; 0 where it has stopped."""

    code = "learning_unfinished"
    status = 503

    def __init__(self, engine: str, seconds: float = 0.0):
        super().__init__(sentence="learning_unfinished" if seconds else "learning_stopped", engine=engine, seconds=seconds)


class NoAudio(StudioError, EngineFailed):
    """sentence: which fact it is, with its values."""

    code = "no_audio"


class SpeechCancelled(StudioError):
    """sentence: which fact it is, where it is not that somebody stopped it."""

    code = "speech_cancelled"
    status = 503
    retry_after_seconds = 1
