"""The errors that an engine may raise. Each states the fact, carries a stable code and names the next step.

EngineError
├── CallerMistake            the request can be mended: a door answers 4xx
│   ├── ClipUnusable         too short, too long, silent, no speech, noisy, clipped
│   ├── TranscriptRequired   the engine cannot learn this speaker without the words of the clip
│   ├── TranscriptMismatch   the words are not those of the clip
│   ├── TextUnspeakable      nothing to say, or too much
│   ├── LanguageUnsupported
│   ├── OptionInvalid
│   ├── PresetUnknown
│   ├── BlendInvalid         a blend of presets with an unknown part, a weight that is none, too many parts
│   ├── EmbeddingUnusable    the engine takes no speaker embedding, or not of this width
│   ├── ClipsUnsupported     the engine speaks in presets only
│   ├── ConversionUnsupported  the engine speaks texts only
│   ├── EditUnsupported      the engine changes no recordings
│   └── EditInvalid          changes of a recording that the engine does not know, or that contradict one another
├── PromptInvalid            a prompt of another engine or revision, or a damaged prompt file
├── CheckpointInvalid        every missing, extra or misshapen tensor is named
├── FetchCancelled           weights were being fetched and somebody thought better of it
├── EngineUnavailable        weights or a library are missing; `command` gets them
├── EngineUnreachable        what does its work elsewhere cannot be reached, or is too busy: a door answers 503
└── EngineFailed             the engine itself went wrong: a door answers 5xx
"""

import re
from typing import Self

from engines.sentence_catalog import catalog_in

__all__ = [
    "BlendInvalid",
    "CallerMistake",
    "CheckpointInvalid",
    "ClipUnusable",
    "ClipsUnsupported",
    "ConversionUnsupported",
    "EditInvalid",
    "EditUnsupported",
    "EmbeddingUnusable",
    "EngineError",
    "EngineFailed",
    "EngineUnavailable",
    "EngineUnreachable",
    "FetchCancelled",
    "LanguageUnsupported",
    "OptionInvalid",
    "PresetUnknown",
    "PromptInvalid",
    "TextUnspeakable",
    "TranscriptMismatch",
    "TranscriptRequired",
]

SOME_ENGINE = "this engine"  # until it is known which
UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class EngineError(Exception):
    """fact: what is so, with its number and limit. hint: the next step. code: stable, snake_case, for programs.

    values: the fact's figures and names, of which the catalogue's sentence is made (assets/words/): that of `sentence` among them, or of
    the code. Whoever gives a fact says it in English words of its own: what is wrong with weights, or in an engine of another package.
    detail: for programs, in English, what the sentence leaves out. A sentence that is not there, or wants another value, is a KeyError
    when it is read: most errors are looked at and told to nobody.
    """

    code = "engine_error"
    parameter: str | None = None

    def __init__(self, fact: str | None = None, hint: str = "", *, detail: str = "", **values: object):
        super().__init__(*([] if fact is None else [fact]))
        self.values = values
        self._fact, self._hint, self._detail = fact, hint, detail

    @property
    def fact(self) -> str:
        if self._fact is not None:
            return self._fact
        said = self._said("fact")
        said = said.replace(SOME_ENGINE, SOME_ENGINE.capitalize(), 1) if said.startswith(SOME_ENGINE) else said
        return _on_one_line(f"{said.rstrip('.')}: {self._detail.rstrip('.')}." if self._detail else said)

    @fact.setter
    def fact(self, fact: str) -> None:
        self._fact, self._hint = fact, self.hint

    @property
    def hint(self) -> str:
        return self._hint if self._fact is not None else _on_one_line(self._hint or self._said("hint"))

    @hint.setter
    def hint(self, hint: str) -> None:
        self._hint = hint

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else self.fact

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def of_engine(self, title: str) -> Self:
        """The same error, which says whose it is: an engine's parts seldom know their engine, whoever runs it does."""
        self.values.setdefault("engine", title)
        return self

    def _said(self, part: str) -> str:
        """Of the catalogue: its "fact" or "hint"."""
        key = f"errors.{self.values.get('sentence', self.code)}.{part}"
        return catalog_in("en").words(key, {"engine": SOME_ENGINE} | self.values)


def _on_one_line(text: str) -> str:
    """Control characters, breaks of lines and lone surrogates, which a name may hold and no line of a log, are escaped."""
    return UNSHOWN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class CallerMistake(EngineError):
    code = "caller_mistake"


class ClipUnusable(CallerMistake):
    """code is one of clip_too_short, clip_too_long, clip_silent, clip_no_speech, clip_noisy, clip_clipped,
    clip_not_finite, clip_out_of_range, clip_channels_differ."""

    parameter = "clip"

    def __init__(self, code: str, fact: str | None = None, hint: str = "", *, detail: str = "", **values: object):
        self.code = code
        super().__init__(fact, hint, detail=detail, **values)


class TranscriptRequired(CallerMistake):
    code = "transcript_required"
    parameter = "transcript"


class TranscriptMismatch(CallerMistake):
    code = "transcript_mismatch"
    parameter = "transcript"


class TextUnspeakable(CallerMistake):
    code = "text_unspeakable"
    parameter = "text"


class LanguageUnsupported(CallerMistake):
    code = "language_unsupported"
    parameter = "language"


class OptionInvalid(CallerMistake):
    code = "option_invalid"

    def __init__(self, option: str, fact: str | None = None, hint: str = "", *, detail: str = "", **values: object):
        super().__init__(fact, hint, detail=detail, option=option, **values)
        self.parameter = option


class PresetUnknown(CallerMistake):
    code = "preset_unknown"
    parameter = "speaker"


class BlendInvalid(CallerMistake):
    """What is meant as a blend of built-in speakers and is none of the engine's."""

    code = "blend_invalid"
    parameter = "speaker"


class EmbeddingUnusable(CallerMistake):
    code = "embedding_unusable"
    parameter = "speaker"


class ClipsUnsupported(CallerMistake):
    code = "clips_unsupported"
    parameter = "clip"


class ConversionUnsupported(CallerMistake):
    code = "conversion_unsupported"
    parameter = "model"


class EditUnsupported(CallerMistake):
    code = "edit_unsupported"
    parameter = "model"


class EditInvalid(CallerMistake):
    code = "edit_invalid"
    parameter = "operations"


class PromptInvalid(EngineError):
    code = "prompt_invalid"


class CheckpointInvalid(EngineError):
    code = "checkpoint_invalid"


class EngineUnavailable(EngineError):
    """command: the one line that makes the engine available, or "". Whoever is refused can seldom run it, so the hint says who can."""

    code = "engine_unavailable"

    def __init__(self, fact: str | None = None, command: str = "", *, hint: str = "", detail: str = "", **values: object):
        of_command = f"Choose another engine, or ask whoever runs this machine to run: {command}" if command else ""
        super().__init__(fact, hint or of_command, detail=detail, **values)
        self.command = command


class EngineUnreachable(EngineError):
    """Nothing was heard of the speech, and the same request may succeed a little later. retry_after_seconds: when to try."""

    code = "engine_unreachable"

    def __init__(self, fact: str | None = None, hint: str = "", *, retry_after_seconds: int = 2, detail: str = "", **values: object):
        super().__init__(fact, hint or ("" if fact is None else "Try again in a moment."), detail=detail, **values)
        self.retry_after_seconds = retry_after_seconds


class FetchCancelled(EngineError):
    code = "fetch_cancelled"


class EngineFailed(EngineError):
    """Without values its own words are all that is known of it, and are told."""

    code = "engine_failed"

    @classmethod
    def at(cls, error: Exception, title: str) -> Self:
        """Of what is no error of an engine: it is at fault then. title: of the engine."""
        return cls(hint="Try again; if it fails again, report the text and the engine.", detail=f"{error}", engine=title)

    def of_engine(self, title: str) -> Self:
        return super().of_engine(title) if self.values or self._fact is None else self
