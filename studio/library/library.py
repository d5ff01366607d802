"""Library: what a person does with stored speakers except speaking: edit, replace, delete with undo, export, import.

The verbs of programs (enroll, forget) are the Studio's, immediate and final; these are for whoever sits before a page.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal

from engines.clips.clip import Clip, Transcript
from studio.errors import DiskFull, NameTaken, disk_error
from studio.library.bundle import Bundle, KnownPrompts, read_bundle, write_bundle
from studio.prompts.cache import SpeakerCache
from studio.speakers.edit import SpeakerEdit, replacement
from studio.speakers.speaker import Enrollment, Speaker, speaker_key
from studio.speakers.workspace_speakers import WorkspaceSpeakers
from studio.storage.trash import Trash

__all__ = ["BundlePreview", "Library", "NameClash", "NameHolder", "OnConflict"]

OnConflict = Literal["refuse", "skip", "replace", "keep both"]
NameHolder = Literal["own", "everybody", "built in"]


@dataclass(frozen=True, eq=False)
class BundlePreview:
    """A bundle before it is let in. is_taken: somebody has its name; free_name: the one it would get beside that."""

    bundle: Bundle
    is_taken: bool
    free_name: str


@dataclass(frozen=True)
class NameClash:
    """A name that is somebody's. name: as that one is called. free_name: the next one that is nobody's."""

    name: str
    holder: NameHolder
    free_name: str


class Library:
    """Every method may be called from any thread and blocks until it is done.

    enroll(recording, prompts): stores a speaker together with what engines know of it; one of the same name is replaced and forgotten.
    forget(name): deletes one for good. when_renamed: told (before, after) once a speaker has another name.
    """

    def __init__(
        self,
        workspace_speakers: WorkspaceSpeakers,
        cache: SpeakerCache,
        trash: Trash,
        enroll: Callable[[Enrollment, KnownPrompts], Speaker],
        forget: Callable[[str], Speaker],
        *,
        when_renamed: Callable[[str, str], None] = lambda before, after: None,
    ):
        self._workspace_speakers = workspace_speakers
        self._cache = cache
        self._trash = trash
        self._enroll = enroll
        self._forget = forget
        self._when_renamed = when_renamed

    def name_clash(self, name: str, but: str = "") -> NameClash | None:
        """Whose a name is, of those that can be seen from here; None where it is free, or that of the speaker `but`."""
        if not name or speaker_key(name) == speaker_key(but) or not self._is_taken(name):
            return None
        holder = self._named(name)
        if holder is None or self._workspace_speakers.store.is_reserved(speaker_key(name)):
            return NameClash(name, "built in", self._free_name(name))
        return NameClash(holder.name, "own" if self._workspace_speakers.owns(holder) else "everybody", self._free_name(name))

    def create(self, recording: Enrollment, made: str | None = None, *, replace: bool = False) -> Speaker:
        """Store a speaker in nobody's place but that of the one which the same visit made before: a mended clip is no second speaker.

        made: generation id of that one. It is replaced, and forgotten where the recording has another name now. replace: so is a
        speaker of its own that has the name. Raises NameTaken, whatever the registration policy allows to programs, and what
        Studio.enroll does.
        """
        speakers = [speaker for speaker in self._workspace_speakers.speakers() if self._workspace_speakers.owns(speaker)]
        before = next((speaker for speaker in speakers if speaker.generation_id == made), None)
        taken = next((speaker for speaker in speakers if speaker_key(speaker.name) == speaker_key(recording.name)), None)
        if taken is not None and taken is not before and not replace:
            raise NameTaken(recording.name)
        speaker = self._enroll(recording, [])
        if before is not None and before.key != speaker.key:
            self._forget(before.name)
        return speaker

    def edit(self, name: str, edit: SpeakerEdit, *, replace: bool = False) -> Speaker:
        """Say other things about a speaker. What engines learned stays, in memory and on disk. Raises what WorkspaceSpeakers.edit does.

        replace: another one of its own that has the new name is deleted.
        """
        other = self._named(edit.name)
        if not replace or other is None or speaker_key(other.name) == speaker_key(name):
            return self._edit(name, edit)
        self._workspace_speakers.own(name)
        gone = self.set_aside(other.name)
        try:
            return self._edit(name, edit)
        except BaseException:
            self.restore(gone.generation_id)
            raise

    def _edit(self, name: str, edit: SpeakerEdit) -> Speaker:
        speaker, before = self._workspace_speakers.edit(name, edit)
        if speaker.generation != before.generation:
            self._cache.hand_over(before.generation, speaker.generation)
        if speaker.name != before.name:
            self._when_renamed(before.name, speaker.name)
        return speaker

    def replace_clip(self, name: str, clip: Clip, consent: str, transcript: Transcript | None = None, **file) -> Speaker:
        """Another recording under the same name: a new generation, with a consent of its own; nothing of the old one is kept.

        file: mime_type, filename, file_bytes of the upload. Raises SpeakerUnknown, SpeakerNotYours and what Studio.enroll does.
        """
        return self._enroll(replacement(self._workspace_speakers.own(name), clip, consent, transcript, **file), [])

    # --- deleting with a way back

    def delete(self, name: str) -> tuple[Speaker, bool]:
        """What a person asks for: `set_aside`, or for good where the disk is too full for a way back. (The speaker, whether it has one.)

        Raises SpeakerUnknown, SpeakerNotYours, OSError.
        """
        try:
            return self.set_aside(name), True
        except OSError as error:
            if not isinstance(disk_error(error), DiskFull):
                raise
            return self._forget(name), False

    def set_aside(self, name: str) -> Speaker:
        """Delete a speaker so that `restore(its generation id)` can bring it back for 30 s: prompts and cache go at once, its file after
        that. Raises SpeakerUnknown, SpeakerNotYours, OSError."""
        speaker = self._workspace_speakers.own(name)
        try:
            speaker = self._workspace_speakers.remove(name, into=self._trash.folder())
        finally:  # a disk that fails after the file is gone must not keep the speaker in memory
            if speaker.generation not in self._workspace_speakers.store.live_generations:
                self._cache.forget(speaker.generation)
                self._trash.keep(speaker.generation_id)
        return speaker

    def restore(self, generation_id: str) -> Speaker:
        """Bring back what was set aside, as it was; engines learn it again.

        Raises UndoTooLate, NameTaken, SpeakerLimitReached, WorkspaceFull, OSError.
        """
        path = self._trash.take(generation_id, self._workspace_speakers.owns_file)
        try:
            return self._workspace_speakers.put_back(path)
        except BaseException:
            self._trash.keep(generation_id)
            raise

    # --- bundles

    def export(self, name: str, *, with_prompts: bool = True) -> tuple[Speaker, bytes]:
        """(the speaker, its bundle). Raises SpeakerUnknown, ClipMissing, BundleUnusable (no recording, or too long), OSError.

        No words go along but those that are stored.
        """
        speaker = self._workspace_speakers.get(name)
        words, prompts = speaker.transcript, self._workspace_speakers.store.prompts(speaker.generation) if with_prompts else []
        return speaker, write_bundle(speaker, [(key, prompt.with_transcript(words)) for key, prompt in prompts if key.suits(words)])

    def preview_bundle(self, data: bytes) -> BundlePreview:
        """What a bundle holds and whether its name is free; nothing is written. Raises what read_bundle does."""
        bundle = read_bundle(data)
        return BundlePreview(bundle, self._is_taken(bundle.recording.name), self._free_name(bundle.recording.name))

    def import_bundle(self, data: bytes, on_conflict: OnConflict = "refuse") -> Speaker | None:
        """The speaker of a bundle, stored with the prompts that came along; None where it was skipped.

        on_conflict: when the name is taken, also since the preview. Raises NameTaken, what read_bundle and Studio.enroll do.
        """
        bundle = read_bundle(data)
        recording = bundle.recording
        if self._is_taken(recording.name):
            if on_conflict == "refuse":
                raise NameTaken(recording.name)
            if on_conflict == "skip":
                return None
            if on_conflict == "keep both":
                recording = replace(recording, name=self._free_name(recording.name))
        return self._enroll(recording, bundle.prompts)

    def _is_taken(self, name: str) -> bool:
        return self._workspace_speakers.is_reserved(speaker_key(name)) or self._named(name) is not None

    def _named(self, name: str) -> Speaker | None:
        """The speaker of that name, of those that can be seen from here as they are known."""
        key = speaker_key(name)
        return next((speaker for speaker in self._workspace_speakers.speakers() if speaker_key(speaker.name) == key), None)

    def _free_name(self, name: str) -> str:
        """The name, or the name with the first number that makes it nobody's."""
        if not self._is_taken(name):
            return name
        return next(candidate for n in count(2) if not self._is_taken(candidate := f"{name} ({n})"))
