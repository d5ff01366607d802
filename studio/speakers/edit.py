"""SpeakerEdit: new words about a speaker whose recording stays. The generation stays too, and with it what engines learned."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from engines.clips.clip import Clip, Transcript
from studio.speakers.enrollment import free_name
from studio.speakers.metadata import checked
from studio.speakers.speaker import Enrollment, Speaker, speaker_key

__all__ = ["SpeakerEdit", "WordsFound", "replacement", "tags_of"]


@dataclass(frozen=True)
class SpeakerEdit:
    """All that can be said anew. name: may differ in anything; the others: None and () for nothing."""

    name: str
    description: str | None = None
    tags: tuple[str, ...] = ()
    transcript: Transcript | None = None

    def of(self, speaker: Speaker, is_reserved: Callable[[str], bool]) -> Speaker:
        """The speaker as it will be; the same object where nothing changes.

        is_reserved: whether a name of that key is a built-in speaker's; the name it has already may stay.
        Raises what `checked` does, NameReserved,
        TranscriptMismatch where a recording of several would lack words.
        """
        key = speaker_key(speaker.name)
        changes = {
            "name": free_name(self.name, lambda other: other != key and is_reserved(other)),
            "description": self.description or None,
            "tags": self.tags,
            "transcript": self.transcript,
        }
        said = {field: value for field, value in changes.items() if getattr(speaker, field) != value}
        if not said:
            return speaker
        checked(replace(Enrollment(name=speaker.name, consent=""), **said))
        if self.transcript is not None:
            self.transcript.lines(speaker.n_recordings)
        return checked(replace(speaker, **said, revision=speaker.revision + 1), is_new=False)


@dataclass(frozen=True)
class WordsFound:
    """The words of a recording that had none: what the studio adds to one generation by itself, and to none that has come to have some."""

    generation_id: str
    transcript: Transcript

    def of(self, speaker: Speaker, is_reserved: Callable[[str], bool]) -> Speaker:
        """As SpeakerEdit.of. Raises what `checked` does, TranscriptMismatch."""
        if speaker.generation_id != self.generation_id or speaker.transcript is not None:
            return speaker
        self.transcript.lines(speaker.n_recordings)
        return checked(replace(speaker, transcript=self.transcript, revision=speaker.revision + 1), is_new=False)


def replacement(speaker: Speaker, clip: Clip, consent: str, transcript: Transcript | None, **file) -> Enrollment:
    """A new recording under the speaker's name, with its description and tags. Consent and words are those of the new clip.

    file: mime_type, filename and file_bytes of the upload.
    """
    return Enrollment(speaker.name, consent, clip=clip, transcript=transcript, description=speaker.description, tags=speaker.tags, **file)


def tags_of(text: str) -> tuple[str, ...]:
    """Tags as typed, between commas: trimmed, without repetitions."""
    return tuple(dict.fromkeys(filter(None, (" ".join(tag.split()) for tag in text.split(",")))))
