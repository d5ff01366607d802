"""ClipDrafts: clips before their enrollment. They are in memory only, known by a secret, bounded, and kept for a short time."""

import secrets
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from engines.clips.cleaning import cleaned_clip
from engines.clips.clip import Clip
from engines.errors import CallerMistake
from studio.errors import ClipTooLong, RecordingUnusable, StudioError
from studio.workspace import EVERYBODY

__all__ = ["MOST_DRAFT_SECONDS", "AllDrafts", "ClipDraft", "ClipDrafts", "DraftGone"]

MOST_DRAFT_SECONDS = 600.0  # to cut up to 30 s from
MOST_DRAFTS = 64
MOST_DRAFT_BYTES = 256 << 20  # of samples, all drafts together: 20 minutes at 48 kHz
KEPT_SECONDS = 3600.0  # since it was last looked at


class DraftGone(StudioError, CallerMistake):
    """It was dropped: too long ago, or by others that came later."""

    code = "draft_gone"
    parameter = "clip"


@dataclass(frozen=True, eq=False)
class ClipDraft:
    """filename, mime_type, file_bytes: of the file that the clip came in."""

    clip: Clip
    filename: str = ""
    mime_type: str = "audio/wav"
    file_bytes: int = 0
    id: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    _cleaned: dict[tuple[int, int], Clip] = field(default_factory=dict, repr=False)  # the last region that was cleaned, by its edges

    @property
    def milliseconds(self) -> int:
        """Of the whole clip, rounded up, so that 0 to here is all of it."""
        return -(-len(self.clip.samples) * 1000 // self.clip.sample_rate)

    def region(self, start_milliseconds: int, end_milliseconds: int) -> Clip:
        """That part of the clip: its samples as they are. Raises RecordingUnusable where it is none."""
        first, last = (round(edge * self.clip.sample_rate / 1000) for edge in (max(0, start_milliseconds), end_milliseconds))
        samples = self.clip.samples[first:last]
        if not len(samples):
            raise RecordingUnusable("clip_too_short", sentence="region_empty")
        return self.clip if len(samples) == len(self.clip.samples) else Clip(samples, self.clip.sample_rate)

    def cleaned_region(self, start_milliseconds: int, end_milliseconds: int) -> Clip:
        """The same without hum, hiss and music; the clip itself stays as it is. For worker threads: it cleans once. Raises the same."""
        edges = start_milliseconds, end_milliseconds
        clip = self._cleaned.get(edges)
        if clip is None:
            clip = cleaned_clip(self.region(*edges))
            self._cleaned.clear()
            self._cleaned[edges] = clip
        return clip


class AllDrafts:
    """The drafts of all workspaces. Thread-safe. Where a bound is passed, the one goes that was looked at longest ago, of the workspace
    that holds most.

    clock: seconds that only rise.
    """

    def __init__(self, most_bytes: int = MOST_DRAFT_BYTES, clock: Callable[[], float] = time.monotonic):
        self._most_bytes = most_bytes
        self._clock = clock
        self._lock = threading.Lock()
        self._drafts: OrderedDict[tuple[str, str], tuple[float, ClipDraft]] = OrderedDict()  # by workspace and id

    def keep(self, draft: ClipDraft, workspace: str) -> ClipDraft:
        """See ClipDrafts."""
        seconds = draft.clip.seconds
        if seconds > MOST_DRAFT_SECONDS:
            raise ClipTooLong(seconds, MOST_DRAFT_SECONDS)
        with self._lock:
            self._drafts[workspace, draft.id] = (self._clock(), draft)
            self._tidy()
        return draft

    def get(self, draft_id: str, workspace: str) -> ClipDraft:
        """See ClipDrafts."""
        with self._lock:
            self._tidy()
            _, draft = self._drafts.get((workspace, draft_id)) or (0.0, None)
            if draft is None:
                raise DraftGone
            self._drafts[workspace, draft_id] = (self._clock(), draft)
            self._drafts.move_to_end((workspace, draft_id))
            return draft

    def drop(self, draft_id: str, workspace: str) -> None:
        """See ClipDrafts."""
        with self._lock:
            self._drafts.pop((workspace, draft_id), None)

    def __len__(self) -> int:
        with self._lock:
            self._tidy()
            return len(self._drafts)

    def _tidy(self) -> None:
        oldest_kept = self._clock() - KEPT_SECONDS
        for key in [key for key, (looked_at, _) in self._drafts.items() if looked_at < oldest_kept]:
            del self._drafts[key]
        held = Counter()
        for (workspace, _), (_, draft) in self._drafts.items():
            held[workspace] += draft.clip.samples.nbytes
        while len(self._drafts) > 1 and (len(self._drafts) > MOST_DRAFTS or held.total() > self._most_bytes):
            greediest = held.most_common(1)[0][0]  # so that nobody loses a clip to another visitor's many
            oldest = next(key for key in self._drafts if key[0] == greediest)
            held[greediest] -= self._drafts.pop(oldest)[1].clip.samples.nbytes


class ClipDrafts:
    """Those of one workspace. Bounds are those of all of them together."""

    def __init__(self, drafts: AllDrafts | None = None, workspace: str = EVERYBODY):
        self._all = AllDrafts() if drafts is None else drafts
        self._workspace = workspace

    def within(self, workspace: str) -> "ClipDrafts":
        """The drafts of that workspace."""
        return ClipDrafts(self._all, workspace)

    def keep(self, draft: ClipDraft) -> ClipDraft:
        """Raises ClipUnusable (clip_too_long)."""
        return self._all.keep(draft, self._workspace)

    def get(self, draft_id: str) -> ClipDraft:
        """Raises DraftGone."""
        return self._all.get(draft_id, self._workspace)

    def drop(self, draft_id: str) -> None:
        """It need not be there."""
        self._all.drop(draft_id, self._workspace)

    def __len__(self) -> int:
        """Of all workspaces."""
        return len(self._all)
