"""Engine state: the status of a voice's prompts with all engines, or why no engine can speak with it.

The reason has the same words everywhere.

Lacking is what an engine that cannot be opened is, in words: why, what a person on this page can do about it, and whom to ask for the
rest. Terms are those of an engine's weights in words: their licenses, where the texts are, what they forbid, and what they want shown.
Learning is how alike a voice is by now with an engine that learns in steps.
Elsewhere is where an engine works that does not work here, how it is there, and what that means for takes and recordings.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engines.contract.contract import EngineInfo
from engines.contract.license import License
from studio.prompts.status import HINDERED, PromptStatus
from studio.running.lifecycle import EngineStatus
from studio.running.offer.weights import WeightsStatus
from studio.service import Studio
from studio.speakers.speaker import Speaker
from studio.ui.gradio.words import problem_words, words
from studio.web.owners import owner_refusal

__all__ = [
    "FETCHABLE",
    "PromptStanding",
    "VoiceIncompatibility",
    "fetch_trouble",
    "forbidden_words",
    "is_lacking",
    "kept_words",
    "learning_words",
    "owner_words",
    "prompt_standings",
    "reason_of",
    "refusal_words",
    "remote_health_words",
    "remote_value",
    "terms_value",
    "voice_incompatibility_of",
    "way_out",
]

SHOWN_SECONDS = 5  # steps in which the time left is shown: it is an estimate, and a window need not be drawn anew each second


@dataclass(frozen=True)
class PromptStanding:
    """One engine's. reason: as reason_of has it. is_here: whether nobody has to get the engine first."""

    title: str
    status: PromptStatus
    reason: str
    is_here: bool = True


@dataclass(frozen=True)
class VoiceIncompatibility:
    """Why no engine can speak with a voice. parameter: what of the voice would mend it (clip, transcript), "" where nothing of it would."""

    title: str
    reason: str
    parameter: str

    @property
    def words(self) -> str:
        return words("engines.obstacle", engine=self.title, reason=self.reason)


def prompt_standings(studio: Studio, speakers: Iterable[Speaker]) -> Iterator[tuple[Speaker, list[PromptStanding]]]:
    """Of each speaker, in the engines' order."""
    speakers, engines = tuple(speakers), {status.info.id: status for status in studio.engines()}
    ways = {name: way_out(studio, status) for name, status in engines.items()}
    away = {name for name, status in engines.items() if is_lacking(status, studio.weights.status(name))}
    for speaker, statuses in zip(speakers, studio.matrix.statuses(speakers), strict=True):
        yield (
            speaker,
            [
                PromptStanding(engines[one.engine].info.title, one, reason_of(one, ways[one.engine]), one.engine not in away)
                for one in statuses
            ],
        )


def voice_incompatibility_of(engines: Iterable[PromptStanding]) -> VoiceIncompatibility | None:
    """None where an engine can speak with the voice, or may."""
    engines = list(engines)
    if not engines or any(engine.status.state not in HINDERED for engine in engines):
        return None
    first = min(engines, key=lambda engine: (not engine.is_here, HINDERED.index(engine.status.state)))
    return VoiceIncompatibility(first.title, first.reason, first.status.parameter)


def reason_of(status: PromptStatus, way: str) -> str:
    """What is wrong and what mends it; else how alike the voice is by now, "" where there is nothing to be said of that.

    way: what a person can do about an engine that cannot be opened.
    """
    fact, hint = problem_words(status.code, status.values, (status.fact, status.hint))
    return f"{fact} {way if status.state == 'unavailable' else hint}".strip() or learning_words(status)


def learning_words(status: PromptStatus) -> str:
    """How alike the voice is by now; "" where its engine learns all at once, and where it has stopped before the end."""
    learning = status.learning
    if learning is not None and learning.seconds_left == 0:
        return words("engines.learned_best")
    if learning is None or not learning.is_under_way:
        return ""
    if learning.seconds_left is None:
        return words("engines.learning_on")
    return words("engines.learning_left", seconds=SHOWN_SECONDS * math.ceil(learning.seconds_left / SHOWN_SECONDS))


# --- engines that cannot be opened


FETCHABLE = ("absent", "cancelled", "failed")


def is_lacking(status: EngineStatus, weights: WeightsStatus) -> bool:
    """Whether it cannot speak before somebody has done something about it."""
    return status.state == "unavailable" or (weights.state in (*FETCHABLE, "fetching") and status.state not in ("ready", "loading"))


def refusal_words(status: EngineStatus | WeightsStatus) -> tuple[str, str]:
    """(fact, hint) of what went wrong with an engine, or with its download; both "" where nothing did."""
    return problem_words(status.code, status.values, (status.reason, status.hint))


def fetch_trouble(weights: WeightsStatus) -> str:
    """What went wrong with a download, what mends it, and whether anything of it is here; "" where nothing went wrong."""
    return " ".join(filter(None, (*refusal_words(weights), kept_words(weights)))) if weights.state == "failed" else ""


def kept_words(weights: WeightsStatus) -> str:
    """That what has arrived is kept, where anything has."""
    return words("engines.arrived_kept") if weights.done_bytes else ""


def way_out(studio: Studio, status: EngineStatus, *, below: bool = False) -> str:
    """The next step; "" for an engine that lacks nothing. below: whether the button that gets its weights is right here."""
    weights = studio.weights.status(status.info.id)
    if not is_lacking(status, weights):
        return ""
    if weights.state == "fetching":
        return words("engines.wait_for_it")
    if not studio.is_owner:
        return words("engines.ask_owner")
    if weights.state not in FETCHABLE:
        return refusal_words(status)[1] or words("engines.ask_for_it")
    said = [words("engines.get_it_below" if below else "engines.get_it")]
    if weights.all_bytes:
        said.append(words("engines.size", size=weights.all_bytes))
    if not studio.licenses.holds(status.info):
        said.append(words("engines.terms", forbids=forbidden_words(status.info)))
    return " ".join(said)


def owner_words(studio: Studio) -> str:
    """How whoever runs the studio is known to it, for a visitor."""
    refusal = owner_refusal(studio.settings)
    return problem_words(refusal.code, refusal.values, (refusal.fact, refusal.hint))[1]


# --- terms


# What `EngineInfo.restriction` says, and the words of the page for it.
COMMERCIAL_USE = "commercial use"
FORBIDDEN = {
    COMMERCIAL_USE: "commercial_use",
    "cloning a voice without its owner's explicit and lawful consent, and deception": "unconsented_cloning",
}

Value = dict[str, object]


def terms_value(info: EngineInfo) -> Value:
    """What assets/web/engines/terms.js draws. license: all of them in one line. forbids: in the words of the page; is_non_commercial:
    whether that is all that serves to earn money. meaning: what that is in plain words, "" for what is forbidden otherwise.
    """
    is_non_commercial = info.restriction == COMMERCIAL_USE
    return {
        "engine": info.title,
        "licence": words("figures.comma").join(map(_named, info.licenses)),
        "licences": [_license_value(license) for license in info.licenses],
        "attribution": info.attribution,
        "forbids": forbidden_words(info),
        "meaning": words("engines.non_commercial_means") if is_non_commercial else "",
        "is_non_commercial": is_non_commercial,
    }


def forbidden_words(info: EngineInfo) -> str:
    """What the licenses forbid; in the engine's own words, where the page has none for it."""
    known = FORBIDDEN.get(info.restriction)
    return words(f"engines.{known}") if known else info.restriction


def _license_value(license: License) -> Value:
    """named: the title with what it covers, where there are others. limit: whom it wants to have a further license, "" where nobody."""
    n = license.most_annual_users
    limit = words("engines.limits_users", licence=license.title, n=n) if n else ""
    return {"title": license.title, "named": _named(license), "url": license.url, "limit": limit}


def _named(license: License) -> str:
    return words(f"engines.covers_{license.covers}", licence=license.title) if license.covers else license.title


# --- engines that work elsewhere


# How an engine that works elsewhere stands, by its state; of one that is open its health says it.
STANDINGS = {"idle": "apart", "loading": "connecting"}
OPEN = {"well": "connected", "degraded": "degraded", "down": "down"}


def remote_value(studio: Studio, status: EngineStatus) -> Value | None:
    """What the scripts know of it; None of an engine that works here.

    hosts: of its servers, without credentials; [] where it works on another machine of the studio's own. health, reason: its EngineHealth.
    repeats: whether the same seed is the same take. leaves_traces: whether recordings stay there.
    """
    info = status.info
    if info.runs == "here":
        return None
    return {
        "hosts": list(studio.settings.hosts_of(info.id)),
        "health": status.health.state,
        "reason": status.health.reason,
        "repeats": info.is_deterministic,
        "leaves_traces": info.leaves_traces,
    }


def remote_health_words(status: EngineStatus) -> str:
    """How it stands, in the place of how weights do: a key of the words; its state where nothing else is to be said."""
    return OPEN[status.health.state] if status.state == "ready" else STANDINGS.get(status.state, status.state)
