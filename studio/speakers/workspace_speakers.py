"""WorkspaceSpeakers: the speakers that one workspace sees. It may change its own, and hear everybody's.

A view, which asks the store each time.
"""

from dataclasses import replace
from pathlib import Path

from studio.errors import NameReserved, SpeakerNotYours, WorkspaceRequired
from studio.speakers.edit import SpeakerEdit
from studio.speakers.file import read_speaker
from studio.speakers.speaker import Enrollment, Speaker, speaker_key
from studio.speakers.store import SpeakerStore
from studio.workspace import EVERYBODY, NOBODY

__all__ = ["WorkspaceSpeakers"]


class WorkspaceSpeakers:
    """Another workspace's speaker is to every method here one that does not exist. Raises as SpeakerStore does, and what is said below.

    workspace: EVERYBODY, NOBODY, or who is asking, as studio/workspace.py names them. most_speakers: of its own; everybody's are not bound.
    """

    def __init__(self, store: SpeakerStore, workspace: str = EVERYBODY, most_speakers: int = 20):
        self.workspace = workspace
        self.store = store
        self._most_speakers = None if workspace == EVERYBODY else most_speakers
        self._seen = (EVERYBODY,) if workspace in (EVERYBODY, NOBODY) else (workspace, EVERYBODY)

    def is_reserved(self, key: str) -> bool:
        """Whether none may have a name of that key: it is a built-in speaker's, or for others than everybody one of everybody's."""
        return self.store.is_reserved(key) or self._is_everybodys(key)

    def owns(self, speaker: Speaker) -> bool:
        return speaker.workspace == self.workspace

    def owns_file(self, path: Path) -> bool:
        """Of a speaker that is not in the store. Raises OSError, SpeakerFileBad."""
        return self.owns(read_speaker(path).speaker)

    def get(self, name: str) -> Speaker:
        """Its own of that name, else everybody's. Raises SpeakerUnknown, naming the nearest that it sees."""
        return self.store.get(name, self._seen)

    def find(self, key: str, *, as_known: bool = False) -> Speaker | None:
        """The same by the name's key (speaker_key), None where there is none."""
        return self.store.find_keyed(key, self._seen, as_known=as_known)

    def speakers(self) -> tuple[Speaker, ...]:
        """All that it sees, sorted by name; its own where everybody has come to have one of that name, too."""
        seen = [speaker for speaker in self.store.speakers() if speaker.workspace in self._seen]
        by_name = {speaker_key(speaker.name): speaker for speaker in sorted(seen, key=self.owns)}
        return tuple(by_name[name] for name in sorted(by_name))

    def add(self, recording: Enrollment) -> tuple[Speaker, Speaker | None]:
        """Raises WorkspaceRequired; NameReserved for everybody's names, too."""
        if self.workspace == NOBODY:
            raise WorkspaceRequired
        self._check_name(recording.name)
        return self.store.add(replace(recording, workspace=self.workspace), self._most_speakers)

    def edit(self, name: str, edit: SpeakerEdit) -> tuple[Speaker, Speaker]:
        """Raises SpeakerNotYours; NameReserved for everybody's names, too."""
        if speaker_key(self.own(name).name) != speaker_key(edit.name):
            self._check_name(edit.name)
        return self.store.edit(name, edit, self.workspace)

    def remove(self, name: str, into: Path | None = None) -> Speaker:
        """Raises SpeakerNotYours."""
        self.own(name)
        return self.store.remove(name, self.workspace, into=into)

    def put_back(self, path: Path) -> Speaker:
        """path: of a file that it owns. Raises WorkspaceFull."""
        return self.store.put_back(path, self._most_speakers)

    def own(self, name: str) -> Speaker:
        """The speaker, which is its own. Raises SpeakerUnknown, SpeakerNotYours."""
        speaker = self.get(name)
        if not self.owns(speaker):
            raise SpeakerNotYours(speaker.name)
        return speaker

    def _check_name(self, name: str) -> None:
        key = speaker_key(name)
        if self._is_everybodys(key) and not self.store.is_reserved(key):
            raise NameReserved(name.strip(), built_in=False)

    def _is_everybodys(self, key: str) -> bool:
        return self.workspace != EVERYBODY and any(one.workspace == EVERYBODY and one.key == key for one in self.store.speakers())
