"""The quality card and the fit row: what a region's numbers mean, and which engines take it as it is."""

from contextlib import nullcontext

from engines.clip import Clip
from engines.clip_advice import overall, verdicts, words_verdict
from engines.clip_quality import ClipQuality, measure_clip
from engines.errors import ClipUnusable
from studio.prompts.compatibility import incompatibility_of_clip
from studio.service import Studio
from studio.speakers.clip_draft import ClipDrafts
from studio.speakers.enrolment import PAGE_RULE
from studio.ui.choices import STATE_WORDS, transcript_hint
from studio.ui.clip_intake import TURNS, region_of
from studio.ui.lacking import way_out
from studio.ui.messages import answered

__all__ = ["check_region", "engine_rows", "fit_rows", "judge_words"]

# Caption of a line and the form of its number, per field of ClipQuality.
MEASURES = {
    "speech_seconds": ("Speech", "{:.1f} s"),
    "other_percent": ("Music or noise", "{:.0f} %"),
    "n_speakers": ("Voices", "{}"),
    "silence_percent": ("Silence", "{:.0f} %"),
    "level_dbfs": ("Level", "{:.0f} dBFS"),
    "snr_db": ("Above background", "{:.0f} dB"),
    "clipping_percent": ("Clipping", "{:.1f} %"),
    "bandwidth_hz": ("Bandwidth", "{:.1f} kHz"),
}


@answered
def check_region(studio: Studio, drafts: ClipDrafts, asked: dict) -> dict[str, object]:
    """asked: {draft, start, end, has_transcript}. The card's lines, what forbids the region if anything does, and the fit row."""
    _, clip = region_of(drafts, asked)
    with TURNS if clip.seconds > PAGE_RULE.most_seconds else nullcontext():
        quality = measure_clip(clip)
    lines, obstacle = verdicts(quality), _obstacle(clip, quality)
    shown = [_line(line.measure, line.value, line.grade, line.advice) for line in lines]
    return {
        "seconds": round(quality.seconds, 3),
        "speech_seconds": round(quality.speech_seconds, 2),
        "verdict": overall(lines),
        "lines": shown,
        "obstacle": obstacle,
        "fit": fit_rows(studio, clip.seconds, bool(asked.get("has_transcript")), obstacle["fact"] if obstacle else ""),
    }


@answered
def engine_rows(studio: Studio, asked: dict) -> dict[str, object]:
    """What each engine would make of a region, for transcript and extraction.

    asked: {seconds, has_transcript, obstacle}, seconds None without a clip. obstacle: why no engine can have it, as check_region says.
    """
    seconds = asked.get("seconds")
    rows = fit_rows(studio, float(seconds) if seconds else None, bool(asked.get("has_transcript")), str(asked.get("obstacle") or ""))
    languages = sorted({language for status in studio.engines() for language in status.info.languages})
    return {"engines": rows, "languages": languages}


@answered
def judge_words(asked: dict) -> dict[str, object]:
    """asked: {text, seconds}, seconds of speech in the clip, above 0. Whether the words can be what is heard there."""
    verdict = words_verdict(str(asked["text"]), float(asked["seconds"]))
    return {"words": verdict.advice, "doubtful": verdict.grade != "good"}


def fit_rows(studio: Studio, seconds: float | None, has_transcript: bool, obstacle: str = "") -> list[dict[str, object]]:
    """One per engine. fits: it takes the clip as it is. wanted: ticked from the start, since it is loaded, or the default.

    obstacle: why nobody can have it, "" where they can.
    """
    rows = []
    for status in studio.engines():
        info, incompatibility = status.info, incompatibility_of_clip(seconds, has_transcript, status.info)
        limits = f"takes {info.least_clip_seconds:g} to {info.most_clip_seconds:g} s"
        rows.append(
            {
                "engine": info.id,
                "title": info.title,
                "fits": incompatibility is None and not obstacle,
                "note": incompatibility.fact if incompatibility else obstacle or f"As it is; {limits}.",
                "state": status.state,
                "state_words": STATE_WORDS[status.state].line,
                "reason": " ".join(filter(None, (status.reason, way_out(studio, status)))),
                "wanted": status.state in ("ready", "loading") or info.id == studio.settings.default_engine,
                "transcript": transcript_hint(info),
            }
        )
    return rows


def _line(measure: str, value: float, grade: str, advice: str) -> dict[str, str]:
    caption, form = MEASURES[measure]
    shown = value / 1000 if measure == "bandwidth_hz" else "2 or more?" if measure == "n_speakers" and value > 1 else value
    return {"caption": caption, "value": form.format(shown), "grade": grade, "advice": advice}


def _obstacle(clip: Clip, quality: ClipQuality) -> dict[str, str] | None:
    try:
        PAGE_RULE.check(clip, quality=quality, what="region")
    except ClipUnusable as error:
        return {"fact": error.fact, "hint": error.hint, "code": error.code}
    return None
