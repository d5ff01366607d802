"""Listening tests as keys and figures: the list, a draft, the choices, the findings. assets/web/tests/tests_tab.js reads them.

Texts to begin a listening test with: per language a dozen short ones, with questions, names and numbers, in assets/texts/listening/.
"""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict

from studio.audio.time_stretch import with_speed
from studio.listening.keep.test import ListeningTest
from studio.listening.plan.design import Check
from studio.listening.plan.plan import (
    ANCHORS,
    METHODS,
    MOST_LISTENERS,
    MOST_MARGIN,
    MOST_POINTS,
    MOST_REPEATS,
    MOST_SCALES,
    MOST_SIGNALS,
    MOST_TEXT_CHARACTERS,
    MOST_TEXTS,
    Plan,
)
from studio.listening.plan.preset_texts import listening_texts
from studio.listening.plan.screening import USUAL
from studio.listening.planning.planned_power import power_of
from studio.listening.report.names import question_of
from studio.listening.report.plots.plots import inline_plots
from studio.listening.report.reported_test import systems_of
from studio.running.jobs.background_jobs import JobProgress
from studio.running.lifecycle import EngineStatus
from studio.service import Studio
from studio.speakers.voiceprint import print_digest
from studio.ui.clips.clip_intake import MOST_CLIP_BYTES
from studio.ui.engines.engine_state import is_lacking
from studio.ui.gradio.messages import problem_of
from studio.ui.gradio.words import visited_sentences
from studio.ui.speak.speaking import voice_names
from studio.words.line import Line, Say
from studio.words.sentences import LANGUAGES, Sentences

__all__ = ["choices_of", "draft_of", "findings_of_test", "line_of", "list_of", "row_of", "say_of"]

Value = dict[str, object]
SECTION = "tests"  # of the words
LIMITS = {
    "name_characters": 120,  # Plan.name
    "texts": MOST_TEXTS,
    "text_characters": MOST_TEXT_CHARACTERS,
    "listeners": MOST_LISTENERS,
    "repeats": MOST_REPEATS,
    "signals": MOST_SIGNALS,
    "margin": MOST_MARGIN,  # by method
    "scales": MOST_SCALES,
    "points": MOST_POINTS,
    "sent_bytes": MOST_CLIP_BYTES,
}


def list_of(tests: Iterable[ListeningTest]) -> Value:
    """The tests, the newest first. Names of people are set as text by the script."""
    rows = sorted(tests, key=lambda test: test.created, reverse=True)
    return {"tests": [row_of(test) for test in rows], "at": time.time_ns()}


def row_of(test: ListeningTest) -> Value:
    """A test in the list. closed: s since 1970, None while it is open."""
    return {
        "id": test.id,
        "link": test.link,
        "name": test.plan.name,
        "method": test.plan.method,
        "state": test.state,
        "created": test.created,
        "closed": test.closed,
        "n_begun": test.n_begun,
        "n_done": test.n_done,
        "listeners": test.plan.listeners,
        "is_unblinded": test.is_unblinded,
    }


def draft_of(studio: Studio, test: ListeningTest) -> Value:
    """What the builder shows: the plan, what it can tell, and how far its sounds and its checks are; of a frozen test its row and plan.

    made: sounds by system. uploads: (system, text) of files that came. checks: None while sounds are made, since each look reads them all.
    is_hearing: whether checks of words will tell more soon.
    """
    told = row_of(test) | {"plan": plan_value(test.plan)}
    if test.state != "draft":
        return told
    listening = studio.listening
    progress = listening.progress(test.id)
    return told | {
        "power": _power(studio, test.plan),
        "checks": None if progress.is_running else [_check(check) for check in listening.checks(test.id)],
        "uploads": [list(upload) for upload in listening.uploads(test.id)],
        "made": dict(Counter(item.system for item in test.items)),
        "progress": _progress(progress),
        "is_hearing": listening.is_hearing(test.id),
    }


def plan_value(plan: Plan) -> Value:
    """As JSON has it: "voice" and "other_voice"."""
    return plan.model_dump(mode="json")


def choices_of(studio: Studio) -> Value:
    """Voices and engines, texts to begin with, limits, and what a new test has.

    plan: the defaults of a plan without a name. voices: {name, print}; of an engine `voices` are the names that it speaks with.
    """
    prints = {speaker.name: print_digest(speaker) for speaker in studio.speakers()}
    blank = plan_value(Plan(name="-", method="ab", screening=USUAL))
    return {
        "voices": [{"name": name, "print": prints[name]} for name in prints],
        "engines": [_engine(studio, status) for status in studio.engines()],
        "engine": studio.default.id,
        "methods": list(METHODS),
        "anchors": list(ANCHORS),
        "texts": listening_texts(),
        "languages": list(LANGUAGES),
        "limits": LIMITS,
        "plan": {key: value for key, value in blank.items() if key not in ("name", "method")},
    }


def findings_of_test(studio: Studio, test: ListeningTest) -> Value:
    """What the votes say, and what was done to the test, in the order of time.

    plots: {title, svg, asked}, in the language of whoever asks; asked: what, where the method does not say it.
    """
    findings = studio.listening.findings(test.id)
    log = [asdict(entry) for entry in studio.listening.log(test.id)]
    say = say_of(visited_sentences())
    plots = []
    for one in (findings, *findings.others):
        asked = question_of(one, test.plan, say)
        plots += [{"title": title, "svg": svg, "asked": asked} for title, svg in inline_plots(one, say, systems_of(test))]
    return row_of(test) | {"plan": plan_value(test.plan), "findings": asdict(findings), "plots": plots, "log": log}


def say_of(said: Sentences) -> Say:
    """Sentences of the section of listening tests, by their keys alone."""
    return lambda key, values: said.words(f"{SECTION}.{key}", values)


def _engine(studio: Studio, status: EngineStatus) -> Value:
    info = status.info
    return {
        "id": info.id,
        "title": info.title,
        "is_here": not is_lacking(status, studio.weights.status(info.id)),
        "voices": voice_names(studio, info.id),
        "presets": {preset: print_digest(None, engine=info.id, preset=preset) for preset in info.presets},
        "options": [asdict(option) for option in with_speed(info.options) if option.name != "language"],
        "languages": list(info.languages),
    }


def _progress(progress: JobProgress) -> Value:
    failure = problem_of(progress.failure) if progress.failure else None
    figures = {name: getattr(progress, name) for name in ("done", "total", "seconds_left", "now", "is_running")}
    return {**figures, "failure": failure}


def _power(studio: Studio, plan: Plan) -> list[Value]:
    power = power_of(plan, studio.listening.tastes(plan.method))
    return [line_of(line) for line in (power.line, *power.more)]


def line_of(line: Line) -> Value:
    """A sentence, for the script to say."""
    return {"key": line.key, "values": dict(line.values)}


def _check(check: Check) -> Value:
    return asdict(check)
