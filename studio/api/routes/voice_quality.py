"""The quality of a recording, and what of its file was taken, in this door's words. For worker threads: it measures."""

from collections.abc import Sequence

from engines.advice.clip_advice import WORDS_SECONDS, overall, verdicts, wish_verdicts, words_verdict
from engines.clips.clip import Transcript
from engines.clips.clip_quality import ClipQuality
from engines.contract.contract import EngineInfo
from studio.audio.decode import DecodedSound
from studio.service import Studio

__all__ = ["quality_of", "sources_of"]

_DECIMALS = {
    "bandwidth_hz": 0,
    "n_speakers": 0,
    "seconds": 2,
    "speech_seconds": 2,
    "sound_seconds": 2,
    "clipping_percent": 2,
    "hum_hz": 0,
    "reverberation_seconds": 2,
}


def quality_of(quality: ClipQuality, transcript: Transcript | None, studio: Studio) -> dict[str, object]:
    """The member `quality` of a voice: every number of ClipQuality, the overall `verdict`, and `advice` of one entry per graded number.

    quality: as `heard_quality` measures it.

    second_speaker: [start, end] in seconds of the recordings, one behind the other, where another person seems to speak.

    With the words of the clip also how long they take to say, and whether that fits. `warnings` where an engine that can be had makes less
    of this clip than of another, one entry for each reason.
    """
    lines = verdicts(quality)
    numbers: dict[str, object] = {name: _rounded(name, value) for name, value in vars(quality).items() if name != "second_speaker"}
    numbers["second_speaker"] = [[round(edge, 1) for edge in span] for span in quality.second_speaker]
    if transcript is not None and quality.speech_seconds > 0:
        lines += (words_verdict(transcript.text, quality.speech_seconds),)
        numbers[WORDS_SECONDS] = _rounded(WORDS_SECONDS, lines[-1].value)
    advice = [
        {"measure": line.measure, "value": _rounded(line.measure, line.value), "verdict": line.grade, "advice": line.advice}
        for line in lines
    ]
    infos = [status.info for status in studio.engines() if status.state != "unavailable" and status.info.clones_clips]
    warnings = [warning for info in infos for warning in _warnings(info, quality, transcript)]
    return numbers | {"verdict": overall(lines), "advice": advice} | ({"warnings": warnings} if warnings else {})


def sources_of(sounds: Sequence[DecodedSound]) -> dict[str, object]:
    """The member `sources` of a new voice: of each recording the channel and the track that were taken, of so many, and why.

    Nothing where no file has several of either.
    """
    sources = [sound.source for sound in sounds]
    if all(source.n_channels == source.n_tracks == 1 for source in sources):
        return {}
    told = [
        {"channel": source.channel, "channels": source.n_channels, "track": source.track, "tracks": source.n_tracks, "why": source.because}
        for source in sources
    ]
    return {"sources": told}


def _warnings(info: EngineInfo, quality: ClipQuality, transcript: Transcript | None) -> list[dict[str, object]]:
    lines = wish_verdicts(info, quality.seconds, transcript.text if transcript else "", quality.speech_seconds)
    return [
        {"engine": info.id, "measure": line.measure, "value": _rounded(line.measure, line.value), "advice": line.advice} for line in lines
    ]


def _rounded(name: str, value: float) -> float | int:
    decimals = _DECIMALS.get(name, 1)
    return round(value, decimals) if decimals else round(value)
