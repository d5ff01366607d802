"""Compare: one text in two to six lanes, heard side by side, with their names shown.

The lanes are spoken by the page's usual transports; here is what there is to choose from, and what is measured of what was heard.
"""

import base64
import binascii
from dataclasses import dataclass

import gradio as gr
import numpy as np

from studio.listening.render.comparison import (
    LEAST_LANES,
    MOST_LANES,
    MOST_MEASURED_SECONDS,
    recording_of,
    told_estimates,
    unavailable_estimate,
)
from studio.service import Studio
from studio.ui.gradio import web
from studio.ui.gradio.asked import rows_in, text_in, whole_in
from studio.ui.gradio.current_visit import named
from studio.ui.gradio.messages import answered
from studio.ui.speak.speaking import choice_value, chosen_engine, chosen_voice, first_voice, stored_speaker

__all__ = ["CompareFields", "build_compare_fields", "lane_choices", "measure_lane", "star_take"]

Value = dict[str, object]

SHOWN = ("voice", "engine", "title", "languages", "options", "gone", "gone_why", "voices", "engines")  # of `choice_value`
ESTIMATED = ("words", "likeness", "dnsmos", "distillmos")  # measures of estimators that the table shows
OPENABLE = ("ready", "idle")  # states of engines that speak when they are asked
RATES_HZ = (8_000, 192_000)  # of what a browser may send
PCM_STEP = 1 / 32768


@dataclass(frozen=True)
class CompareFields:
    """The section's one component; what it asks, its script asks by itself."""

    view: gr.HTML


def build_compare_fields(studio: Studio) -> CompareFields:
    """Called inside of the tab."""
    view = gr.HTML(
        None,
        elem_id="compare",
        html_template=web.markup("compare/compare"),
        js_on_load=web.mount("compare", calls=True),
        apply_default_css=False,
        server_functions=[named(handler, studio) for handler in (lane_choices, measure_lane, star_take)],
    )
    return CompareFields(view)


@answered
def lane_choices(studio: Studio, asked: Value) -> Value:
    """{lanes, most_lanes, most_seconds, missing}: what there is to choose from in each lane, and what cannot be measured here.

    asked: {lanes: [{voice, engine}]}, as they are on the page; where there are fewer than two, others are added that can be heard beside
    them. missing: of the estimators, by measure, as `told_estimates` tells it.
    """
    lanes = [(one.get("voice"), one.get("engine")) for one in rows_in(asked, "lanes")[:MOST_LANES]]
    known = [_lane(studio, voice, engine) for voice, engine in lanes]
    while len(known) < LEAST_LANES:
        known.append(_lane(studio, *_beside(studio, known)))
    missing = {status.measure: unavailable_estimate(status.lacking) for status in studio.estimators.statuses() if status.lacking}
    return {
        "lanes": known,
        "most_lanes": MOST_LANES,
        "most_seconds": MOST_MEASURED_SECONDS,
        "missing": {measure: lack for measure, lack in missing.items() if measure in ESTIMATED},
    }


@answered
def measure_lane(studio: Studio, asked: Value) -> Value:
    """{estimates}, None where there is nothing to measure. asked: {pcm: base64 of int16, sample_rate, text, voice, language}."""
    rate = whole_in(asked, "sample_rate")
    try:
        pcm = base64.b64decode(str(asked["pcm"]), validate=True)
    except binascii.Error:
        pcm = b""
    samples = np.frombuffer(pcm[: len(pcm) // 2 * 2], "<i2").astype(np.float32) * PCM_STEP
    if not RATES_HZ[0] <= rate <= RATES_HZ[1] or not 0 < len(samples) <= MOST_MEASURED_SECONDS * rate:
        return {"estimates": None}
    voice, language = str(asked.get("voice") or ""), str(asked.get("language") or "") or None
    about = {"text": str(asked["text"]), "speaker": recording_of(studio, voice), "language": language}
    return {"estimates": told_estimates(studio.estimators, samples, rate, **about)}


@answered
def star_take(studio: Studio, asked: Value) -> Value:
    """{starred}: a lane's take in the history becomes a favorite, or none any more. asked: {entry, starred}."""
    return {"starred": studio.history.star(str(asked["entry"]), bool(asked["starred"])).starred}


def _lane(studio: Studio, voice: object, engine: object) -> Value:
    """What the script knows of a lane. A voice that cannot be chosen is named as gone, and none is chosen in its place."""
    engine = chosen_engine(studio, engine if isinstance(engine, str) else None)
    wanted = voice if isinstance(voice, str) and voice else first_voice(studio, engine)
    known = chosen_voice(studio, wanted, engine)
    value = choice_value(studio, known, engine, "" if known or not wanted else wanted)
    return {name: value[name] for name in SHOWN}


def _beside(studio: Studio, known: list[Value]) -> tuple[str | None, str]:
    """(voice, engine) of another lane: the same voice by another engine, else another voice; else the same once more, varied."""
    if not known:
        return None, studio.default.id
    voice, engine = text_in(known[0], "voice"), str(known[0]["engine"])
    is_stored = bool(voice) and stored_speaker(studio, voice) is not None
    able = [status.info.id for status in studio.engines() if status.state in OPENABLE and not studio.weights.are_lacking(status.info.id)]
    others = [(voice, other) for other in able if is_stored and other != engine]
    others += [(str(one["name"]), engine) for one in rows_in(known[0], "voices") if one["name"] != voice and one["state"] != "unsupported"]
    return next(iter(others), (voice, engine))
