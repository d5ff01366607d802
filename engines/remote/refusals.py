"""Refusals: turns answers of servers, and failures of a fleet, into the contract's errors."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from engines.contract.contract import EngineInfo
from engines.errors import (
    CallerMistake,
    ClipsUnsupported,
    EngineError,
    EngineFailed,
    EngineUnavailable,
    EngineUnreachable,
    LanguageUnsupported,
    OptionInvalid,
    PresetUnknown,
    TextUnspeakable,
    TranscriptRequired,
)
from engines.remote.member import Unanswered
from engines.remote.wire import ServerRefusal

__all__ = ["Refusals"]

TOO_MANY, BUSY = 429, (429, 503)
RETRY_SECONDS = 2
HINT = "Change the text or the settings, or choose another engine."


class Refusals:
    """Of one engine. info: what it is known to do by now. secret: what no refusal shows."""

    def __init__(self, info: EngineInfo, model: str, secret: str):
        self.secret = secret
        self.info, self._model = info, model
        self._setting = info.id.upper()

    def of(self, refusal: ServerRefusal, preset: str = "", language: str = "") -> Unanswered | CallerMistake:
        """What to raise: CallerMistake where no server would do better, Unanswered where another may.

        preset, language: what was asked for.
        """
        said, refused = refusal.said, f"refused (HTTP {refusal.status}: {refusal.said})"
        if error := self._of_the_server(refusal, preset):
            return Unanswered(refused, error=error)
        if refusal.status in BUSY:
            seconds = refusal.retry_after_seconds or (RETRY_SECONDS if refusal.status == TOO_MANY else None)
            return Unanswered("is busy" if seconds else "is not well", retry_after_seconds=seconds)
        if refusal.status >= 500:
            return Unanswered(f"failed (HTTP {refusal.status}: {said})", retry_after_seconds=refusal.retry_after_seconds)
        return self._mistake(refusal, language)

    def _of_the_server(self, refusal: ServerRefusal, preset: str) -> EngineError | None:
        """What is so at this server, whatever is asked of it, and may be otherwise at another."""
        if refusal.concern == "key":
            return self.key_refused()
        if refusal.concern == "model":
            return self.no_model()
        if refusal.concern == "speaker" and preset and refusal.status < 500:
            return self.no_preset(preset)
        is_unable = refusal.status < 400 or refusal.status == 501
        return self._failed(refusal) if is_unable or (refusal.concern in ("absent", "speaker", "full") and refusal.status < 500) else None

    def nobody(self, failures: Sequence[Unanswered]) -> EngineError:
        """What to raise where no server gave any sound. failures: one for each, in their order."""
        errors = [failure.error for failure in failures if failure.error]
        if len(errors) == len(failures):
            return errors[0]
        n, last = len(failures), next(failure for failure in reversed(failures) if failure.error is None)
        asked = [failure.retry_after_seconds for failure in failures if failure.retry_after_seconds]
        seconds = min(asked, default=RETRY_SECONDS)
        whose = "The speech server" if n == 1 else f"None of {n} speech servers could speak; the last one"
        return EngineUnreachable(
            f"{whose} {last.reason}.",
            f"Try again in {seconds} s.",
            retry_after_seconds=seconds,
            sentence="remote_unreachable",
            engine=self.info.title,
            n=n,
            seconds=seconds,
        )

    def broke_off(self, seconds: float, reason: str) -> EngineFailed:
        fact = f"The speech broke off after {seconds:.1f} s: the speech server {reason}."
        return EngineFailed(fact, "Try again.", sentence="remote_broke_off", seconds=seconds)

    def no_sound(self) -> EngineFailed:
        fact = "The speech server made no sound of this text."
        return EngineFailed(fact, "Try another text.", sentence="no_audio", engine=self.info.title)

    def unreadable(self, reason: str) -> EngineFailed:
        """reason: behind "what the speech server sent"."""
        hint = "Ask whoever runs this studio to look at the speech server."
        return EngineFailed(f"What the speech server sent {reason}.", hint, sentence="remote_unreadable", engine=self.info.title)

    @contextmanager
    def of_the_disk(self) -> Iterator[None]:
        """What it does not take is told as the engine's, without the path."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or type(error).__name__
            fact = f"{self.info.title} cannot write down which server is given which recording: {reason}."
            hint = "Ask whoever runs this studio to look at its disk."
            failure = EngineFailed(fact, hint, sentence="remote_ledger_unwritable", engine=self.info.title, reason=reason)
            raise failure from error

    def key_refused(self) -> EngineUnavailable:
        setting = f"{self._setting}_KEY"
        fact = f"The speech server does not take the key that is set in {setting}."
        return EngineUnavailable(fact, sentence="remote_key_refused", engine=self.info.title, setting=setting)

    def no_model(self) -> EngineUnavailable:
        setting = f"{self._setting}_MODEL"
        fact = f"The speech server does not serve {self._model or 'a speech model'!r}; set {setting} to one of its models."
        return EngineUnavailable(fact, sentence="remote_model_absent", engine=self.info.title, setting=setting)

    def models_differ(self) -> EngineUnavailable:
        setting = f"{self._setting}_MODEL"
        fact = f"The speech servers have no model in common; set {setting} to the one that is meant, and take the others off the list."
        return EngineUnavailable(fact, sentence="remote_models_differ", engine=self.info.title, setting=setting)

    def no_presets(self) -> EngineUnavailable:
        setting = f"{self._setting}_PRESETS"
        fact = f"The speech server lists no built-in voices; set {setting} to some that it has."
        return EngineUnavailable(fact, sentence="remote_presets_absent", engine=self.info.title, setting=setting)

    def no_clips(self) -> ClipsUnsupported:
        setting = f"{self._setting}_INLINE"
        fact = f"The speech servers of {self.info.title} take no recordings to keep."
        hint = f"Choose a built-in voice, or set {setting}=1, which sends the recording with each request and leaves traces there."
        return ClipsUnsupported(fact, hint, sentence="remote_clips_untaken", engine=self.info.title, setting=setting)

    def no_words(self) -> TranscriptRequired:
        fact = f"{self.info.title} needs the words of the recording."
        return TranscriptRequired(fact, "Write what is said in it, word for word.", engine=self.info.title)

    def no_preset(self, name: str) -> PresetUnknown:
        known = ", ".join(self.info.presets) or "none"
        fact = f"{self.info.title} has no built-in speaker {name!r}."
        return PresetUnknown(fact, f"Built-in speakers: {known}.", name=name, engine=self.info.title)

    def _failed(self, refusal: ServerRefusal) -> EngineFailed:
        fact = f"The speech server refused: {refusal.said}"
        return EngineFailed(fact, "Choose another engine.", sentence="remote_refused", said=refusal.said)

    def _mistake(self, refusal: ServerRefusal, language: str) -> CallerMistake:
        said = refusal.said
        if refusal.concern == "words":
            return self.no_words()
        if refusal.concern == "language":
            n = len(self.info.languages)
            return LanguageUnsupported(said, "Choose another language.", language=language, n=n)
        if refusal.concern == "text":
            return TextUnspeakable(said, "Change the text.", sentence="remote_refused", said=said)
        if refusal.concern == "instructions":
            return OptionInvalid("instructions", said, "Change them.", sentence="remote_refused", said=said)
        return CallerMistake(said, HINT, sentence="remote_refused", said=said)
