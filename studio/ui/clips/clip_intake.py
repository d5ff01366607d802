"""Clip intake: turns the bytes of the page's recorder into a draft that the page can show, play and cut. It never lies in a folder."""

import base64
import binascii
import threading
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from engines.advice.clip_advice import (
    FAIR_LEVEL_DBFS,
    GOOD_LEVEL_DBFS,
    GOOD_SPEECH_SECONDS,
    LEAST_SNR_DB,
    LEAST_SPEECH_SECONDS,
    ClipParts,
)
from engines.clips.clip import Clip, Span
from engines.errors import CallerMistake
from studio.audio.channels import SoundSource
from studio.audio.decode import decode_base64, decode_beginning, decode_clip, large_decode_lock
from studio.errors import AudioTooLarge, ClipTooLong, StudioError
from studio.speakers.clip_draft import MOST_DRAFT_SECONDS, ClipDraft, ClipDrafts
from studio.speakers.enrollment import PAGE_RULE
from studio.speakers.speaker import MOST_RECORDINGS
from studio.ui.gradio.messages import answered

__all__ = [
    "MOST_CLIP_BYTES",
    "TURNS",
    "ClipAbsent",
    "ClipUpload",
    "clip_limits",
    "decoded",
    "drop_clip",
    "find_clip",
    "read_sent",
    "region_of",
    "region_sound",
    "take_clip",
]

MOST_CLIP_BYTES = PAGE_RULE.most_file_bytes  # 25 MB: 130 s of 16-bit stereo at 48 kHz, or any MP3 of ten minutes
MOST_AT_ONCE = 2  # long clips: where the speech of ten minutes is takes two seconds, and as much memory as decoding them
SHORT_SECONDS = 60.0  # a clip of no more waits for none that is longer
PEAK_MILLISECONDS = 10
MOST_RECORDED_SECONDS = 120
BAND_SECONDS = (GOOD_SPEECH_SECONDS[0], 10.0, GOOD_SPEECH_SECONDS[1])  # marks under the recorder's time
SILENT_SECONDS = 3  # of a recording, until somebody is told that nothing is heard
MOST_HEARD_SECONDS = 60  # of a region that the browser cannot decode by itself

TURNS = threading.BoundedSemaphore(MOST_AT_ONCE)  # for whoever has ten minutes of samples in hand


class ClipAbsent(StudioError, CallerMistake):
    """No clip was recorded or chosen, or it did not arrive."""

    code = "clip_absent"
    parameter = "clip"


@dataclass(frozen=True)
class ClipUpload:
    """The bytes of one file as the browser had it."""

    data: bytes
    filename: str
    mime_type: str


def clip_limits() -> dict[str, object]:
    """What the recorder has to know. Levels in dBFS, background in dB below speech: where quiet begins, and where noisy ends."""
    return {
        "file_bytes": MOST_CLIP_BYTES,
        "recorded_seconds": MOST_RECORDED_SECONDS,
        "learned_seconds": PAGE_RULE.most_seconds,  # of all recordings of a voice
        "recordings": MOST_RECORDINGS,
        "decoded_seconds": MOST_DRAFT_SECONDS,  # what is longer would fill a browser's memory
        "heard_seconds": MOST_HEARD_SECONDS,
        "silent_seconds": SILENT_SECONDS,
        "least_speech_seconds": LEAST_SPEECH_SECONDS,
        "good_speech_seconds": GOOD_SPEECH_SECONDS,
        "band_seconds": BAND_SECONDS,
        "good_level": GOOD_LEVEL_DBFS,
        "fair_level": FAIR_LEVEL_DBFS,
        "least_snr": LEAST_SNR_DB,
    }


def read_sent(sent: object) -> ClipUpload:
    """What the scripts send of a file: {name, type, data}, data in base64. Raises ClipAbsent, AudioTooLarge."""
    data = sent.get("data") if isinstance(sent, dict) else None
    if not isinstance(sent, dict) or not isinstance(data, str) or not data:
        raise ClipAbsent
    n_bytes = len(data) * 3 // 4 - data[-2:].count("=")
    if n_bytes > MOST_CLIP_BYTES:
        raise AudioTooLarge(n_bytes, MOST_CLIP_BYTES)
    try:
        with large_decode_lock(n_bytes):
            return ClipUpload(decode_base64(data), str(sent.get("name") or ""), str(sent.get("type") or ""))
    except binascii.Error:
        raise ClipAbsent(sentence="clip_cut_off") from None


def decoded(upload: ClipUpload) -> Clip:
    """The sound of a file, of MOST_DRAFT_SECONDS at most. Raises what decode_clip does."""
    about = {"filename": upload.filename, "mime_type": upload.mime_type}
    return decode_clip(upload.data, most_bytes=MOST_CLIP_BYTES, most_seconds=MOST_DRAFT_SECONDS, **about)


@answered
def take_clip(drafts: ClipDrafts, sent: object) -> dict[str, object]:
    """Decode the file's first ten minutes and keep them as a draft; what `_drawn` gives.

    cut_seconds: how much of it was taken where the file goes on, None where it does not. source: as `_told` has it.
    """
    upload = read_sent(sent)
    sound = decode_beginning(upload.data, most_bytes=MOST_CLIP_BYTES, most_seconds=MOST_DRAFT_SECONDS)
    parts = _parts(sound.clip)
    draft = drafts.keep(ClipDraft(sound.clip, upload.filename, upload.mime_type or "audio/wav", len(upload.data)))
    return _drawn(draft, parts) | {"cut_seconds": round(sound.clip.seconds) if sound.goes_on else None, "source": _told(sound.source)}


@answered
def find_clip(drafts: ClipDrafts, asked: dict) -> dict[str, object]:
    """asked: {draft}. What `_drawn` gives of a draft that was kept before, for a page that was loaded again."""
    draft = drafts.get(str(asked.get("draft")))
    return _drawn(draft, _parts(draft.clip))


def region_of(drafts: ClipDrafts, asked: dict) -> tuple[ClipDraft, Clip]:
    """asked: {draft, start, end, is_clean}, milliseconds. is_clean: without hum, hiss and music; absent for the region as it is.

    Raises DraftGone, ClipAbsent, ClipUnusable; ClipTooLong of what is cleaned and longer than is learned from.
    """
    if not asked.get("draft"):
        raise ClipAbsent
    draft, edges = drafts.get(str(asked["draft"])), (int(asked["start"]), int(asked["end"]))
    clip = draft.region(*edges)
    if asked.get("is_clean") is not True:
        return draft, clip
    if clip.seconds > PAGE_RULE.most_seconds:
        raise ClipTooLong(clip.seconds, PAGE_RULE.most_seconds)
    with TURNS:
        return draft, draft.cleaned_region(*edges)


@answered
def region_sound(drafts: ClipDrafts, asked: dict) -> dict[str, object]:
    """The region as 16-bit PCM in base64, for browsers that cannot decode the file. At most a minute of it."""
    _, clip = region_of(drafts, asked)
    samples = clip.samples[: MOST_HEARD_SECONDS * clip.sample_rate]
    words = np.clip(np.rint(samples * 32768), -32768, 32767).astype("<i2")
    return {"sample_rate": clip.sample_rate, "pcm": base64.b64encode(words.tobytes()).decode()}


@answered
def drop_clip(drafts: ClipDrafts, asked: dict) -> dict[str, object]:
    """Forget a draft that was removed or replaced."""
    drafts.drop(str(asked.get("draft")))
    return {}


def _parts(clip: Clip) -> ClipParts:
    """Those of a short clip at once."""
    with TURNS if clip.seconds > SHORT_SECONDS else nullcontext():
        return ClipParts.of(clip)


def _drawn(draft: ClipDraft, parts: ClipParts) -> dict[str, object]:
    """Its secret, its name, what to draw, where the speech is. Times in milliseconds.

    speech, best: (start, end), None without speech. opens: the region to begin with, the best part of what is longer than is learned from.
    """
    best = _milliseconds(parts.best, draft)
    is_long = draft.clip.seconds > GOOD_SPEECH_SECONDS[1]
    return {
        "draft": draft.id,
        "name": draft.filename,
        "milliseconds": draft.milliseconds,
        "sample_rate": draft.clip.sample_rate,
        "speech": _milliseconds(parts.speech, draft),
        "best": best,
        "opens": best if best and is_long else (0, draft.milliseconds),
        "peaks": _peaks(draft.clip),
        "peak_milliseconds": PEAK_MILLISECONDS,
    }


def _told(source: SoundSource) -> dict[str, object]:
    """What was taken of the file, for the browser to take the same: channels from 0, of so many, of a track from 1, of so many."""
    return {
        "channels": source.channels,
        "n_channels": source.n_channels,
        "channel": source.channel,
        "track": source.track,
        "n_tracks": source.n_tracks,
        "why": source.why,
    }


def _milliseconds(span: Span | None, draft: ClipDraft) -> tuple[int, int] | None:
    if span is None:
        return None
    start, end = (round(1000 * seconds) for seconds in span)
    return start, min(draft.milliseconds, end)


def _peaks(clip: Clip) -> list[int]:
    """Largest sample of every PEAK_MILLISECONDS, 0 to 100 % of full scale."""
    hop = max(1, clip.sample_rate * PEAK_MILLISECONDS // 1000)
    starts = np.arange(0, len(clip.samples), hop)
    peaks = np.maximum.reduceat(np.abs(clip.samples), starts)
    return np.minimum(np.rint(100 * peaks), 100).astype(int).tolist()
