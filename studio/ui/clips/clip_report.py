"""Report on a region of a clip: verdict, facts, figures, and the engines that take it. It sends keys and figures; the words are data.

Three facts and a verdict of a clip come from its measures, as keys and figures, which assets/words/ and assets/web/create/clip_report.js
say. Of a clip's words it says whether they can be its words, and which engines would speak as slowly or as fast as they say.
Of a name it says whether it is free, while it is typed; and if it is not, whose it is and what can be done about it.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import TypedDict

from engines.advice.clip_advice import (
    BEST_SPEECH_SECONDS,
    GOOD_LEVEL_DBFS,
    GOOD_SPEECH_SECONDS,
    LEAST_SPEECH_SECONDS,
    WORDS_SECONDS,
    Grade,
    Verdict,
    verdicts,
    wish_verdicts,
    words_verdict,
)
from engines.clips.clip import Clip
from engines.clips.clip_quality import ClipQuality
from engines.errors import ClipUnusable
from studio.analysis.heard_quality import heard_quality
from studio.audio.decode import joined
from studio.prompts.status import incompatibility_of_clip, refusals
from studio.service import Studio
from studio.speakers.clip_draft import ClipDrafts, DraftGone
from studio.speakers.enrollment import PAGE_RULE
from studio.ui.clips.clip_intake import TURNS, region_of
from studio.ui.engines.engine_state import is_lacking
from studio.ui.gradio.messages import PageProblem, answered, problem_of

__all__ = [
    "FACTS",
    "REFUSED",
    "check_region",
    "clip_facts",
    "clip_figures",
    "clip_verdict",
    "engine_rows",
    "judge_name",
    "judge_words",
    "judged_words",
]

# Why an engine cannot have a clip, by what of the voice would mend it (Incompatibility.parameter).
MISFITS = {"": "own_voices", "transcript": "needs_words", "clip": "takes_seconds"}
# Why an engine refuses the sound of a clip that others take, as codes of errors.
REFUSED = ("clip_clipped", "clip_noisy", "clip_no_speech")


@answered
def check_region(studio: Studio, drafts: ClipDrafts, asked: dict) -> dict[str, object]:
    """asked: {draft, start, end, has_transcript, seconds_before, before}. Verdict, facts and figures of clip_facts, and the engines' rows.

    seconds_before: of the recordings that the voice has beside this one, which engines hear as well; absent without any. before: those
    recordings, each {draft, start, end}, which should be of the same person.
    obstacle: what forbids the region, as a problem; None where nothing does. refused: by the engine, why it cannot learn the sound.
    """
    _, clip = region_of(drafts, asked)
    with TURNS if clip.seconds > PAGE_RULE.most_seconds else nullcontext():
        quality = _beside_others(heard_quality(clip), clip, _regions(drafts, asked.get("before") or ()))
    lines, obstacle = verdicts(quality), _incompatibility(clip, quality)
    code, values = obstacle["code"] if obstacle else "", _incompatibility_values(quality)
    facts = clip_facts(lines, code, values)
    refused = {} if obstacle else _refused(studio, clip)
    seconds = clip.seconds + float(asked.get("seconds_before") or 0)
    return {
        "seconds": round(quality.seconds, 3),
        "speech_seconds": round(quality.speech_seconds, 2),
        "verdict": clip_verdict(facts, code, values),
        "facts": facts,
        "figures": clip_figures(lines),
        "obstacle": obstacle,
        "refused": refused,
        "engines": _rows(studio, seconds, bool(asked.get("has_transcript")), is_forbidden=bool(obstacle), refused=refused),
    }


@answered
def engine_rows(studio: Studio, asked: dict) -> dict[str, object]:
    """What each engine would make of a region, for the steps of words and learning.

    asked: {seconds, has_transcript, is_forbidden, refused}, seconds None without a clip. is_forbidden: whether check_region found an
    obstacle; refused: as it said.
    """
    seconds = asked.get("seconds")
    known, has_transcript = float(seconds) if seconds else None, bool(asked.get("has_transcript"))
    refused = asked.get("refused")
    refused = refused if isinstance(refused, dict) else {}
    rows = _rows(studio, known, has_transcript, is_forbidden=asked.get("is_forbidden") is True, refused=refused)
    languages = sorted({language for status in studio.engines() for language in status.info.languages})
    return {"engines": rows, "languages": languages}


@answered
def judge_words(studio: Studio, asked: dict) -> dict[str, object]:
    """asked: {text, seconds}, seconds of speech in the clip, above 0. {case, values, is_doubtful}: can the words be what is heard there?"""
    return {**judged_words(studio, str(asked["text"]), float(asked["seconds"]))}


def _regions(drafts: ClipDrafts, parts: Sequence[dict]) -> list[Clip]:
    """Those whose drafts are still there; that one is gone is told when the voice is made."""
    found = []
    for part in parts:
        with suppress(DraftGone):
            found.append(region_of(drafts, part)[1])
    return found


def _beside_others(quality: ClipQuality, clip: Clip, before: Sequence[Clip]) -> ClipQuality:
    """The same, with two voices where the recordings of one voice seem to be of more than one person."""
    if not before or quality.second_speaker or sum(each.seconds for each in (*before, clip)) > PAGE_RULE.most_seconds:
        return quality  # of what is too long nothing is learned
    return replace(quality, n_speakers=max(quality.n_speakers, heard_quality(joined([*before, clip])).n_speakers))


def _refused(studio: Studio, clip: Clip) -> dict[str, str]:
    """Codes by the engine; what is not one of REFUSED, such as silence, forbids the clip to all."""
    return {engine: error.code for engine, error in refusals(clip, [status.info for status in studio.engines()]).items()}


def _rows(
    studio: Studio, seconds: float | None, has_transcript: bool, *, is_forbidden: bool, refused: Mapping[str, str]
) -> list[dict[str, object]]:
    """One per engine. fit: as_it_is, better_shorter, or why not: forbidden, one of MISFITS or of REFUSED. values: of its words.

    is_here: whether nobody has to get it first. wanted: ticked from the start, since it is loaded, or the default.
    """
    rows, has_words = [], has_transcript or studio.prompts.can_write_words
    for status in studio.engines():
        info, incompatibility = status.info, incompatibility_of_clip(seconds, has_words, status.info)
        fit, (low, high) = "as_it_is", (info.least_clip_seconds, info.most_clip_seconds)
        if incompatibility:
            fit = MISFITS[incompatibility.parameter]
        elif is_forbidden or info.id in refused:
            code = refused.get(info.id)
            fit = code if code in REFUSED and not is_forbidden else "forbidden"
        elif (best := info.clip_wishes.best_seconds) is not None and wish_verdicts(info, seconds or 0.0, "", 0.0):
            fit, (low, high) = "better_shorter", best
        rows.append(
            {
                "engine": info.id,
                "title": info.title,
                "fit": fit,
                "values": {"low": low, "high": high},
                "state": status.state,
                "is_here": not is_lacking(status, studio.weights.status(info.id)),
                "wanted": status.state in ("ready", "loading") or info.id == studio.default.id,
                "transcript": info.transcript,
            }
        )
    return rows


def _incompatibility_values(quality: ClipQuality) -> Mapping[str, float]:
    """Of the sentences of what forbids a clip. Lengths are rounded towards what is wrong with them."""
    return {
        "seconds": round(quality.seconds, 2),
        "percent": round(quality.clipping_percent),
        "low": PAGE_RULE.least_seconds,
        "high": PAGE_RULE.most_seconds,
    }


def _incompatibility(clip: Clip, quality: ClipQuality) -> PageProblem | None:
    try:
        PAGE_RULE.check(clip, quality=quality)
    except ClipUnusable as error:
        return problem_of(error)
    return None


# --- facts


# Always the same three, each of some measures: the first of the worst of them is what it says.
FACTS: Mapping[str, tuple[str, ...]] = {
    "speech": ("speech_seconds", "n_speakers", "silence_percent"),
    "clear": (
        "clipping_percent",
        "other_percent",
        "music_percent",
        "hum_db",
        "hiss_db",
        "snr_db",
        "reverberation_seconds",
        "level_dbfs",
    ),
    "full": ("bandwidth_hz",),
}
STATES: Mapping[Grade, str] = {"good": "good", "fair": "care", "poor": "failed"}
RANKS = ("good", "care", "failed")
UNITS = {  # of a measure's figure, and its decimals
    "speech_seconds": ("seconds", 1),
    "other_percent": ("percent", 0),
    "n_speakers": ("voices", 0),
    "silence_percent": ("percent", 0),
    "level_dbfs": ("dbfs", 0),
    "snr_db": ("decibels", 0),
    "hum_db": ("decibels", 0),
    "hiss_db": ("decibels", 0),
    "music_percent": ("percent", 0),
    "reverberation_seconds": ("seconds", 2),
    "clipping_percent": ("percent", 1),
    "bandwidth_hz": ("kilohertz", 1),
}
KEPT_LENGTH = ("clip_too_short", "clip_too_long")  # what forbids a region for its length, which is told with its speech
LIMITS = {
    "least": LEAST_SPEECH_SECONDS,
    **dict(zip(("low", "high"), GOOD_SPEECH_SECONDS, strict=True)),
    **dict(zip(("best_low", "best_high"), BEST_SPEECH_SECONDS, strict=True)),
    **dict(zip(("least_dbfs", "most_dbfs"), GOOD_LEVEL_DBFS, strict=True)),
}


def clip_facts(lines: Sequence[Verdict], obstacle: str = "", values: Mapping[str, object] = LIMITS) -> list[dict[str, object]]:
    """{fact, state, case, values} of each of FACTS. case: which sentence; "clear" where all of its measures are good.

    obstacle: code of what forbids the clip, "" where nothing does; values: of its sentence.
    """
    found = {line.measure: line for line in lines}
    facts = [_fact(name, [found[measure] for measure in measures]) for name, measures in FACTS.items()]
    if obstacle in KEPT_LENGTH:
        facts[0] = {"fact": "speech", "state": "failed", "case": obstacle, "values": dict(values)}
    return facts


def clip_verdict(facts: Sequence[Mapping[str, object]], obstacle: str = "", values: Mapping[str, object] = LIMITS) -> dict[str, object]:
    """{state, case, values}: good; care or failed with the first such fact's case; forbidden with the obstacle's code."""
    if obstacle:
        return {"state": "forbidden", "case": obstacle, "values": dict(values)}
    worst = max(facts, key=lambda fact: RANKS.index(fact["state"]))
    return {"state": worst["state"], "case": worst["case"], "values": worst["values"]}


def clip_figures(lines: Sequence[Verdict]) -> list[dict[str, object]]:
    """{measure, unit, decimals, grade, case, values} of each line, in their order; its figure is values["n"]."""
    return [
        {
            "measure": line.measure,
            "unit": UNITS[line.measure][0],
            "decimals": UNITS[line.measure][1],
            "grade": line.grade,
            "case": line.case,
            "values": _values(line),
        }
        for line in lines
    ]


def _fact(name: str, lines: Sequence[Verdict]) -> dict[str, object]:
    worst = max(lines, key=lambda line: RANKS.index(STATES[line.grade]))
    case = "clear" if name == "clear" and worst.grade == "good" else worst.case
    return {"fact": name, "state": STATES[worst.grade], "case": case, "values": _values(worst)}


def _values(line: Verdict) -> dict[str, object]:
    unit, decimals = UNITS[line.measure]
    span = {"start": round(line.span[0], 1), "end": round(line.span[1], 1)} if line.span else {}
    return {**LIMITS, **span, "n": round(line.value / 1000 if unit == "kilohertz" else line.value, decimals)}


# --- words


class JudgedWords(TypedDict):
    """values: of the sentence of the case."""

    case: str
    values: dict[str, object]
    is_doubtful: bool


def judged_words(studio: Studio, text: str, speech_seconds: float) -> JudgedWords:
    """{case, values, is_doubtful}, of words and a clip with so many seconds of speech, more than 0.

    One sentence in all: that some engines would speak slowly is said where the words can be those of the clip, else that they can hardly.
    """
    verdict = words_verdict(text, speech_seconds)
    values: dict[str, object] = {"n": round(verdict.value, 1), "spoken": round(speech_seconds, 1)}
    case, engines = verdict.case, {}
    if verdict.grade == "good":
        engines = _unmet(studio, text, speech_seconds)
    if engines:
        case = next(iter(engines))
        values["engines"] = engines[case]
    return {"case": case, "values": values, "is_doubtful": verdict.grade != "good" or bool(engines)}


def _unmet(studio: Studio, text: str, speech_seconds: float) -> dict[str, list[str]]:
    """Titles of engines by the case of what they would make of the words; of those that can speak."""
    titles: dict[str, list[str]] = {}
    for status in studio.engines():
        info = status.info
        if not info.clones_clips or is_lacking(status, studio.weights.status(info.id)):
            continue
        for line in wish_verdicts(info, 0.0, text, speech_seconds):
            if line.measure == WORDS_SECONDS:
                titles.setdefault(line.case, []).append(info.title)
    return titles


# --- names


HELD_BY = {"own": "own", "everybody": "everybody", "built in": "built_in"}  # NameHolder, as keys of words


@answered
def judge_name(studio: Studio, asked: dict) -> dict[str, object]:
    """asked: {name, but}, but: the voice that will have the name, if it is stored.

    {clash: None, or {held_by, name, free_name, can_replace}}. held_by: own, everybody, built_in; immutable for an own one that cannot be
    replaced in this studio.
    """
    clash = studio.library.name_clash(str(asked.get("name") or "").strip(), str(asked.get("but") or ""))
    if clash is None:
        return {"clash": None}
    is_fixed = clash.holder == "own" and studio.settings.registration_policy == "immutable"
    held_by = "immutable" if is_fixed else HELD_BY[clash.holder]
    return {"clash": {"held_by": held_by, "name": clash.name, "free_name": clash.free_name, "can_replace": held_by == "own"}}
