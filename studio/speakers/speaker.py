"""Speaker: one immutable snapshot of a named recording with consent. It is read once per request; nothing later re-reads the registry.

speaker_key: what makes two names one. preset_of: the built-in speaker that a name means.
"""

import secrets
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise

from engines.advice.clip_advice import words_verdict
from engines.clips.clip import Clip, Transcript
from engines.clips.clip_quality import measure_clip
from engines.contract.contract import EngineInfo
from engines.contract.preset_blend import ADDS, blend_text
from studio.speakers.consent import BLENDED, ConsentRecord
from studio.speakers.tensor import SpeakerTensor
from studio.workspace import EVERYBODY

__all__ = ["MOST_RECORDINGS", "Enrollment", "Generation", "Speaker", "key_within", "new_generation_id", "preset_of", "speaker_key"]

MOST_RECORDINGS = 4  # of one speaker
MOST_ENGINES = 64  # whose own speakers are kept folded


def speaker_key(name: str, workspace: str = EVERYBODY) -> str:
    """What makes two spellings one speaker: trimmed, NFC, casefolded (and NFC again, since folding may decompose).

    Names are unique within a workspace, so it is part of the key; a line feed, which no name may hold, stands between the two.
    """
    return key_within(unicodedata.normalize("NFC", unicodedata.normalize("NFC", name.strip()).casefold()), workspace)


def key_within(key: str, workspace: str) -> str:
    """Everybody's key of a name as that workspace's."""
    return f"{workspace}\n{key}" if workspace else key


def preset_of(name: str, info: EngineInfo, key: str = "") -> str | None:
    """The engine's own speaker of that name: in any spelling, of two that differ in spelling alone the one that is spelt so.

    Of an engine that blends them the text of the blend that the name means. None where it means neither. key: of the name, where it is
    known already.
    """
    spelt = _presets_by_key(info.presets).get(key or speaker_key(name), ())
    if spelt:
        return name if name in spelt else spelt[0]
    return blend_text(name, info) if info.blends_presets and ADDS in name else None


@lru_cache(maxsize=MOST_ENGINES)
def _presets_by_key(presets: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """Of an engine's own speakers, folded once: they are the same from request to request."""
    found: dict[str, list[str]] = {}
    for preset in presets:
        found.setdefault(speaker_key(preset), []).append(preset)
    return {key: tuple(spelt) for key, spelt in found.items()}


def new_generation_id() -> str:
    """128 random bits in hexadecimal: never repeats, across restarts either."""
    return secrets.token_hex(16)


@dataclass(frozen=True)
class Generation:
    """The owner of cached prompts: one recording that had this name. A re-upload of the name is another generation."""

    key: str
    id: str


@dataclass(frozen=True, eq=False, kw_only=True)
class SpeakerFacts:
    """What is known of a speaker before it is stored, and after.

    tensor: in place of a recording. mime_type, filename, file_bytes: of the file that was uploaded, for listing. consent_record: what was
    stated of this recording or tensor, where it was stated here. speech_seconds: of the recording; None where nobody has measured it, or
    who did obeys whatever words come with it. workspace: whose it is.
    """

    tensor: SpeakerTensor | None = None
    transcript: Transcript | None = None
    description: str | None = None
    tags: tuple[str, ...] = ()
    mime_type: str = "audio/wav"
    filename: str = ""
    file_bytes: int = 0
    consent_record: ConsentRecord | None = None
    speech_seconds: float | None = None
    workspace: str = EVERYBODY


@dataclass(frozen=True, eq=False)
class Enrollment(SpeakerFacts):
    """What is handed in to become a Speaker: a clip, or a tensor in place of one, with its name and consent.

    consent: identifier of the consent given, never empty. WorkspaceSpeakers fills in the workspace.
    """

    name: str
    consent: str
    clip: Clip | None = None

    @property
    def source_digest(self) -> str:
        """Of clip or tensor, 64 hexadecimal digits."""
        source = self.clip if self.tensor is None else self.tensor
        assert source is not None  # it is one or the other
        return source.digest

    def measured(self) -> "Enrollment":
        """With the clip's seconds of speech, by which its words are judged (Speaker.words_fit)."""
        if self.clip is None or self.speech_seconds is not None:
            return self
        return replace(self, speech_seconds=round(measure_clip(self.clip).speech_seconds, 2))


def _no_clip() -> Clip:
    raise LookupError("this speaker is a tensor; it has no clip")


@dataclass(frozen=True, eq=False)
class Speaker(SpeakerFacts):
    """One generation of a speaker.

    clip_digest, seconds, sample_rate: of the recording; None for a speaker that is a tensor in place of one. joints: as Clip has them.
    created_at: whole seconds since 1970, strictly increasing over the speakers of a workspace.
    revision: how often what is said about it was edited; of two files of one generation the higher is the newer.
    read_clip: loads this generation's samples from disk, checked against clip_digest; raises ClipMissing.
    """

    name: str
    generation_id: str
    consent: str
    created_at: int
    clip_digest: str | None = None
    seconds: float | None = None
    sample_rate: int | None = None
    joints: tuple[int, ...] = ()
    revision: int = 0
    read_clip: Callable[[], Clip] = field(default=_no_clip, repr=False)

    @cached_property
    def key(self) -> str:
        return speaker_key(self.name, self.workspace)

    @cached_property
    def words_fit(self) -> bool:
        """Whether its words can be those of its recording, as far as that is known."""
        if self.transcript is None or not self.speech_seconds:
            return True
        return words_verdict(self.transcript.text, self.speech_seconds).grade == "good"

    @property
    def n_recordings(self) -> int:
        """1 for a tensor, too."""
        return len(self.joints) + 1

    @property
    def recording_seconds(self) -> tuple[float, ...]:
        """Of each of several recordings; () for one, and for a tensor."""
        if not self.joints or self.seconds is None or self.sample_rate is None:
            return ()
        edges = pairwise((0, *self.joints, round(self.seconds * self.sample_rate)))
        return tuple((last - first) / self.sample_rate for first, last in edges)

    @property
    def source_digest(self) -> str:
        """Of clip or tensor, 64 hexadecimal digits."""
        return (self.clip_digest or "") if self.tensor is None else self.tensor.digest

    def blend_with(self, engine: str) -> str:
        """The text of the blend of its own speakers that the engine of that id speaks it as; "" where it learns from the recording."""
        record = self.consent_record
        return record.statement if record is not None and record.reason == BLENDED and record.engine == engine else ""

    @cached_property
    def generation(self) -> Generation:
        return Generation(self.key, self.generation_id)
