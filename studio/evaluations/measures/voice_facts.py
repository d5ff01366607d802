"""VoiceFacts: the embeddings, pitch and pace of the recordings of an evaluation's voices. Each is found out once."""

from collections.abc import Mapping
from functools import cached_property

from engines.clips.clip import Clip, ClipSound
from studio.analysis import likeness, second_encoder
from studio.evaluations.measures.known_speakers import JudgedVoice, KnownSpeakers
from studio.evaluations.measures.lacking import MeasureLacking
from studio.evaluations.measures.patient_ears import PatientEars
from studio.evaluations.measures.prosody import SpokenProsody

__all__ = ["VoiceFacts"]


class VoiceFacts:
    """By one thread. Recordings are read when they are wanted, and not kept. Whatever is asked for raises MeasuringStopped."""

    def __init__(self, ears: PatientEars, speakers: Mapping[str, JudgedVoice]):
        self._ears = ears
        self._speakers = speakers
        self._prosodies: dict[str, SpokenProsody | None] = {}

    def __contains__(self, speaker: str) -> bool:
        return speaker in self._speakers

    @cached_property
    def known(self) -> KnownSpeakers:
        """By the encoder that an engine may have learned by; always there."""
        return KnownSpeakers.of(likeness.LikenessEstimator(), self._until_stopped())

    @cached_property
    def second(self) -> KnownSpeakers | None:
        """By the encoder that no engine here learned by; None where it is not installed."""
        return KnownSpeakers.of(second_encoder.SecondEncoder(), self._until_stopped()) if second_encoder.is_here() else None

    def prosody(self, speaker: str) -> SpokenProsody | None:
        """None of who has no recording, and of a silent one. Where nobody wrote its words down the transcriber does, if it is here."""
        if speaker not in self._prosodies:
            self._prosodies[speaker] = self._prosody(self._speakers[speaker]) if speaker in self._speakers else None
        return self._prosodies[speaker]

    def _prosody(self, known: JudgedVoice) -> SpokenProsody | None:
        clip = known.read_clip()
        if ClipSound.of(clip).is_silent:
            return None
        words = known.words
        if words is None:
            try:
                words = self._ears.words(clip, known.language)
            except MeasureLacking:
                words = None
        return SpokenProsody.of(clip, words, known.language)

    def _until_stopped(self) -> dict[str, JudgedVoice]:
        def read(known: JudgedVoice) -> Clip:
            self._ears.check_going()
            return known.read_clip()

        return {name: known._replace(clip=lambda known=known: read(known)) for name, known in self._speakers.items()}
