"""Errors of an engine that cannot work now."""

from engines.errors import CallerMistake, EngineError, EngineFailed, EngineUnavailable

__all__ = [
    "EngineBusy",
    "EngineInUse",
    "EngineUnknown",
    "LearningUnfinished",
    "LicenseNotAccepted",
    "NoAudio",
    "NothingToFetch",
    "PinsFull",
    "SpeechCancelled",
]


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


class LicenseNotAccepted(EngineUnavailable):
    """Weights are not fetched before their terms were accepted. license: all of them. restriction: what they forbid."""

    code = "licence_not_accepted"

    def __init__(self, engine: str, title: str, license: str, restriction: str):
        fact = f"The weights of {title} are under {license}; {restriction} is forbidden, and nobody has accepted that here."
        super().__init__(fact, engine=title, licence=license, restriction=restriction)
        self.hint = f"Accept it on the page, under Cache & models, or name {engine} in STUDIO_ACCEPT_LICENCES."


class EngineBusy(EngineError):
    code = "engine_busy"

    def __init__(self, engine: str, waiting: int, retry_after_seconds: int):
        hint = f"Try again in {retry_after_seconds} s."
        super().__init__(
            f"{engine} has {waiting} requests waiting, its limit.", hint, engine=engine, n=waiting, seconds=retry_after_seconds
        )
        self.retry_after_seconds = retry_after_seconds


class EngineFull(EngineBusy):
    """It cannot feed one listener more. n: those that it serves, or that come before."""

    def __init__(self, engine: str, n: int, retry_after_seconds: int):
        whom = "another listener" if n == 1 else f"{n} others"
        fact = f"{engine} is at work for {whom}, and one more would make somebody run dry."
        hint = f"Try again in {retry_after_seconds} s."
        EngineError.__init__(self, fact, hint, sentence="engine_full", engine=engine, n=n, seconds=retry_after_seconds)
        self.retry_after_seconds = retry_after_seconds


class LearningUnfinished(EngineError):
    """A voice is not learned as well as it gets. seconds: how long that was waited for; 0 where it has stopped."""

    code = "learning_unfinished"

    def __init__(self, engine: str, seconds: float = 0.0):
        fact, hint = f"{engine} has stopped learning the voice.", "Speak with it, and it goes on."
        if seconds:
            fact, hint = f"{engine} is still learning the voice after {seconds:g} s.", "It goes on beside speech; ask again."
        super().__init__(fact, hint, sentence="learning_unfinished" if seconds else "learning_stopped", engine=engine, seconds=seconds)


class NoAudio(EngineFailed):
    code = "no_audio"


class SpeechCancelled(EngineError):
    code = "speech_cancelled"
