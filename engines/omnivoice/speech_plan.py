"""SpeechPlan: how a text will be spoken: its pieces, their lengths, and how each of them is settled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self

from engines.contract.options import Value, bool_option, choice_option, float_option, int_option, text_option
from engines.errors import OptionInvalid, TextUnspeakable, TranscriptMismatch
from engines.omnivoice.reference import SpokenReference
from engines.omnivoice.text.duration import FRAMES_PER_SECOND, LEAST_WEIGHT, estimated_frames, weight_per_frame
from engines.omnivoice.text.pieces import EARLY_FRAMES, Piece, pieces
from engines.omnivoice.text.voice_attributes import voice_description
from engines.omnivoice.unmasking import UnmaskingSettings

__all__ = ["SpeechPlan"]

LEAST_REST = 25  # frames behind a short first piece: fewer are spoken with it, since the estimate of what is so short is a guess


# Fields of UnmaskingSettings that are options of the same name.
_UNMASKING = ("guidance_scale", "t_shift", "layer_penalty_factor", "position_temperature", "class_temperature")


@dataclass(frozen=True)
class SpeechPlan:
    """language: its ID, None where none is said. description: what the instructions say of the voice, in the model's words; or None.

    denoise: whether to ask for clean speech, which only a recording makes a question. first_steps: of the first piece, 0: as of all.
    """

    pieces: tuple[Piece, ...]
    language: str | None
    description: str | None
    denoise: bool
    settings: UnmaskingSettings
    first_steps: int = 0

    @classmethod
    def of(cls, text: str, reference: SpokenReference | None, options: Mapping[str, Value]) -> Self:
        """options: of the engine, complete. Raises TextUnspeakable for a blank text, OptionInvalid for instructions it does not know,
        TranscriptMismatch for so few words of the reference that a word of the text would last longer than a piece may.
        """
        told = (reference.words, reference.n_frames) if reference else None
        seconds, speed = float_option(options, "duration"), float_option(options, "speed")
        n_wanted = max(1, int(seconds * FRAMES_PER_SECOND)) if seconds else None
        if n_wanted:
            speed = estimated_frames(text, told) / n_wanted
        is_early = bool_option(options, "first_clause")
        spoken = _pieces(text, told, speed, None if is_early else int_option(options, "first_frames"), seconds)
        return cls(
            pieces=_stretched(spoken, n_wanted) if n_wanted else spoken,
            language=choice_option(options, "language"),
            description=voice_description(text_option(options, "instructions"), text),
            denoise=bool_option(options, "denoise"),
            settings=UnmaskingSettings(
                int_option(options, "seed"), int_option(options, "num_step"),
                **{name: float_option(options, name) for name in _UNMASKING},
            ),
            first_steps=int_option(options, "first_steps"),
        )  # fmt: skip

    def settings_of(self, index: int) -> UnmaskingSettings:
        """Of a piece: each has a seed of its own, or pieces that begin alike would be settled alike."""
        n_steps = (self.first_steps if index == 0 else 0) or self.settings.num_step
        return replace(self.settings, seed=(self.settings.seed + index) % 2**63, num_step=n_steps)


def _pieces(text: str, told: tuple[str, int] | None, speed: float, first_frames: int | None, seconds: float) -> tuple[Piece, ...]:
    """told: words of the reference, and in how many frames. first_frames: None for a clause. seconds: the duration that speed heeds, 0 for
    none.
    """
    paced = (lambda part: estimated_frames(part, told, speed, goes_on=True)) if first_frames is None else None
    first_frames = EARLY_FRAMES if first_frames is None else first_frames
    if estimated_frames(text, told, speed) <= first_frames + LEAST_REST:
        first_frames, paced = 0, None
    try:
        return pieces(text, lambda part: estimated_frames(part, told, speed), first_frames, paced_frames_of=paced)
    except TextUnspeakable as error:
        if error.values["sentence"] != "text_indivisible":
            raise
        if seconds:
            raise OptionInvalid("duration", sentence="duration_beyond_text", seconds=seconds) from error
        if told is not None and _words_are_too_few(text, told, speed):
            told_seconds = told[1] / FRAMES_PER_SECOND
            raise TranscriptMismatch(sentence="transcript_too_short", seconds=told_seconds) from error
        raise


def _words_are_too_few(text: str, told: tuple[str, int], speed: float) -> bool:
    """Whether the text could be spoken, were the words of the reference said as fast as the slowest that are likely to be its own."""
    faster = LEAST_WEIGHT / weight_per_frame(*told)
    if faster <= 1:
        return False
    try:
        pieces(text, lambda part: estimated_frames(part, told, speed * faster))
    except TextUnspeakable:
        return False
    return True


def _stretched(spoken: Sequence[Piece], n_frames: int) -> tuple[Piece, ...]:
    """The pieces at lengths that make n_frames together, in the same proportions; a frame each at least."""
    n_estimated, n_before, ends = sum(piece.n_frames for piece in spoken), 0, [0]
    for piece in spoken:
        n_before += piece.n_frames
        ends.append(max(ends[-1] + 1, round(n_frames * n_before / n_estimated)))
    return tuple(replace(piece, n_frames=last - first) for piece, (first, last) in zip(spoken, pairwise(ends), strict=True))
