"""AskedSpeech: one speech on its way through the fleet."""

from dataclasses import dataclass

__all__ = ["AskedSpeech"]


@dataclass(slots=True, eq=False)
class AskedSpeech:
    """Times are seconds of the simulated clock. seconds: of audio in all. left: of it, still to be made.

    dry_at: when its listener runs dry. extracts: it is no speech but the extraction of its voice, which the engine makes between others.
    """

    number: int
    voice: int
    seconds: float
    asked_at: float
    ingress: int = 0
    submitted: float = 0.0
    extracts: bool = False
    left: float = 0.0
    dry_at: float = 0.0
    first_audio_at: float | None = None
    stuttered: bool = False
    refused: bool = False
