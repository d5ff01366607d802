"""VoiceCopies: the recordings of an evaluation's voices as speakers of a workspace that nobody sees, while they are spoken in.

So a voice that engines know already is learned anew, and what a stored one has learned is never touched. A copy counts for nobody's limits.
"""

import hashlib
from contextlib import suppress

from engines.clips.clip import Clip, Transcript
from studio.errors import SpeakerUnknown
from studio.evaluations.plan.plan import EvaluationVoice
from studio.evaluations.saying.evaluating_studio import EvaluatingStudio
from studio.speakers.speaker import Enrollment, Speaker
from studio.workspace import of_an_evaluation

__all__ = ["VoiceCopies"]


class VoiceCopies:
    """studio: seen from within their workspace. Raises what the store of speakers does."""

    def __init__(self, studio: EvaluatingStudio, evaluation_id: str):
        self.studio = studio.within(of_an_evaluation(evaluation_id))
        self._id = evaluation_id

    def name(self, system_id: str, voice_id: str) -> str:
        """Of the copy for that system: no two have one, and no person's voice is called so."""
        return f"evaluation {self._id} {hashlib.sha256(f'{system_id} {voice_id}'.encode()).hexdigest()[:16]}"

    def find(self, system_id: str, voice_id: str) -> Speaker | None:
        try:
            return self.studio.workspace_speakers.own(self.name(system_id, voice_id))
        except SpeakerUnknown:
            return None

    def add(self, system_id: str, voice: EvaluationVoice, clip: Clip) -> Speaker:
        """Nothing is learned ahead of its first speech."""
        words = Transcript.of(voice.words, voice.language)
        if words is not None and voice.are_heard:
            words = Transcript(words.text, words.language, by_transcriber=True)
        recording = Enrollment(self.name(system_id, voice.id), f"evaluation {self._id}", clip=clip, transcript=words)
        return self.studio.workspace_speakers.add(recording.measured())[0]

    def forget(self, system_id: str, voice_id: str) -> None:
        with suppress(SpeakerUnknown):
            self.studio.forget(self.name(system_id, voice_id))

    def forget_all(self) -> None:
        """With what engines learned of them."""
        speakers = self.studio.workspace_speakers
        for speaker in speakers.speakers():
            if speakers.owns(speaker):
                with suppress(SpeakerUnknown):
                    self.studio.forget(speaker.name)
