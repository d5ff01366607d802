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
        return EngineUnreachable(
            retry_after_seconds=seconds,
            sentence="remote_unreachable",
            detail=f"{'it' if n == 1 else 'the last one'} {last.reason}",
            engine=self.info.title,
            n=n,
            seconds=seconds,
        )

    def broke_off(self, seconds: float, reason: str) -> EngineFailed:
        return EngineFailed(sentence="remote_broke_off", detail=f"it {reason}", seconds=seconds)

    def no_sound(self) -> EngineFailed:
        return EngineFailed(sentence="no_audio", engine=self.info.title)

    def unreadable(self, reason: str) -> EngineFailed:
        """reason: behind "what the speech server sent"."""
        return EngineFailed(sentence="remote_unreadable", detail=f"it {reason}", engine=self.info.title)

    @contextmanager
    def of_the_disk(self) -> Iterator[None]:
        """What it does not take is told as the engine's, without the path."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or type(error).__name__
            failure = EngineFailed(sentence="remote_ledger_unwritable", engine=self.info.title, reason=reason)
            raise failure from error

    def key_refused(self) -> EngineUnavailable:
        setting = f"{self._setting}_KEY"
        return EngineUnavailable(sentence="remote_key_refused", engine=self.info.title, setting=setting)

    def no_model(self) -> EngineUnavailable:
        setting = f"{self._setting}_MODEL"
        return EngineUnavailable(sentence="remote_model_absent", detail=self._model, engine=self.info.title, setting=setting)

    def models_differ(self) -> EngineUnavailable:
        setting = f"{self._setting}_MODEL"
        return EngineUnavailable(sentence="remote_models_differ", engine=self.info.title, setting=setting)

    def no_presets(self) -> EngineUnavailable:
        setting = f"{self._setting}_PRESETS"
        return EngineUnavailable(sentence="remote_presets_absent", engine=self.info.title, setting=setting)

    def no_clips(self) -> ClipsUnsupported:
        setting = f"{self._setting}_INLINE"
        hint = f"Choose a built-in voice, or set {setting}=1, which sends the recording with each request and leaves traces there."
        return ClipsUnsupported(hint=hint, sentence="remote_clips_untaken", engine=self.info.title, setting=setting)

    def no_words(self) -> TranscriptRequired:
        return TranscriptRequired(engine=self.info.title)

    def no_preset(self, name: str) -> PresetUnknown:
        known = ", ".join(self.info.presets) or "none"
        return PresetUnknown(hint=f"Built-in speakers: {known}.", name=name, engine=self.info.title)

    def _failed(self, refusal: ServerRefusal) -> EngineFailed:
        return EngineFailed(sentence="remote_refused", engine=self.info.title, said=refusal.said)

    def _mistake(self, refusal: ServerRefusal, language: str) -> CallerMistake:
        said, title = refusal.said, self.info.title
        if refusal.concern == "words":
            return self.no_words()
        if refusal.concern == "language" and language:
            return LanguageUnsupported(detail=said, language=language, n=len(self.info.languages), engine=title)
        if refusal.concern == "language":
            return LanguageUnsupported(sentence="remote_refused", said=said, engine=title)
        if refusal.concern == "text":
            return TextUnspeakable(sentence="remote_refused", said=said, engine=title)
        if refusal.concern == "instructions":
            return OptionInvalid("instructions", sentence="remote_refused", said=said, engine=title)
        return CallerMistake(sentence="remote_refused", said=said, engine=title)
