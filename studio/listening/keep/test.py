"""ListeningTest: the facts about one test, as values. They know no file and no listener's secret."""

import hashlib
import json
import math
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from studio.listening.plan.design import Item
from studio.listening.plan.panel import RECRUITING, FormQuestion
from studio.listening.plan.plan import PAGES, Method, Plan
from studio.listening.plan.questions import question_count
from studio.listening.plan.trials import session_seconds

__all__ = ["FormCount", "Invitation", "ListeningTest", "LogEntry", "State", "frozen_hash_of"]

State = Literal["draft", "open", "closed"]


@dataclass(frozen=True)
class ListeningTest:
    """One test. id: 22 characters, which nobody guesses and no listener is told. link: as many, of the listeners' link: whoever knows it
    may listen, and nothing else. created, closed: seconds since 1970.

    items: what has been rendered. frozen_hash: SHA-256 of plan and items since it is open, "" before. n_begun, n_done: listeners, without
    whoever made it. form_counts: of the questionnaire, where results are shown.
    """

    id: str
    link: str
    plan: Plan
    state: State
    workspace: str
    created: float
    frozen_hash: str = ""
    items: tuple[Item, ...] = ()
    n_begun: int = 0
    n_done: int = 0
    is_unblinded: bool = False
    closed: float | None = None
    form_counts: "tuple[FormCount, ...]" = ()

    @property
    def shows_results(self) -> bool:
        return self.state == "closed" or self.is_unblinded

    @property
    def has_quota(self) -> bool:
        """Whether enough have finished."""
        return self.plan.quota is not None and self.n_done >= self.plan.quota


@dataclass(frozen=True)
class Invitation:
    """What somebody is told before they listen; nothing that names a system. n_trials: of one listener, training included.

    minutes: guessed. consent: the plan's own words, "" for the studio's. needs_wide: the page of one trial does not fit a phone.
    is_open: whether it takes answers; is_draft: it will, once it is frozen; else it is closed. is_full: enough have finished, and nobody
    else begins. before, after: the questionnaire. recruiting: parameters of the link that are kept.
    hears_whole: each sound is heard to its end before it can be judged. scales: id, question, labels and points of what the plan asks.
    """

    method: Method
    language: str | None
    n_trials: int
    minutes: int
    consent: str
    headphones: bool
    comments: bool
    needs_wide: bool
    no_preference: bool
    hears_whole: bool
    is_open: bool
    is_draft: bool
    is_full: bool
    before: tuple[FormQuestion, ...]
    after: tuple[FormQuestion, ...]
    recruiting: tuple[str, ...]
    scales: tuple[dict[str, Any], ...] = ()

    @classmethod
    def of(cls, test: ListeningTest) -> "Invitation":
        plan, n_questions = test.plan, question_count(test.plan)
        return cls(
            method=plan.method,
            language=plan.language,
            n_trials=n_questions + (plan.training and n_questions > 0),
            minutes=math.ceil(session_seconds(plan, test.items) / 60),
            consent=plan.consent,
            headphones=plan.headphones,
            comments=plan.comments,
            needs_wide=plan.method in PAGES,
            no_preference=plan.method == "ab" and plan.no_preference,
            hears_whole=plan.screening is not None and plan.screening.hears_whole,
            is_open=test.state == "open",
            is_draft=test.state == "draft",
            is_full=test.has_quota,
            before=plan.questionnaire.before,
            after=plan.questionnaire.after,
            recruiting=(*RECRUITING, *plan.recruiting),
            scales=tuple({**scale.model_dump(), "points": scale.n_points} for scale in plan.scales),
        )


@dataclass(frozen=True)
class FormCount:
    """What a panel said to one question of the questionnaire. n: who answered it. choices: (choice, how many).

    mean, low, high: of numbers.
    """

    question: str
    text: str
    n: int
    choices: tuple[tuple[str, int], ...] = ()
    mean: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class LogEntry:
    """at: seconds since 1970. event: `created`, `frozen` (hash), `opened`, `closed`, `unblinded` (who), `counted` (listener, counts),
    `withdrawn`, `voice_deleted` and `voice_renamed` (speaker)."""

    at: float
    event: str
    details: dict[str, object] = field(default_factory=dict)


def frozen_hash_of(plan: Plan, items: tuple[Item, ...]) -> str:
    """SHA-256 over the plan and all that is known of its sounds, their own hashes included; in hexadecimal.

    What has its default is left out, so that a later version, whose plans may say more, comes to the same.
    """
    sounds = [_said_of(item) for item in sorted(items, key=lambda item: item.id)]
    planned = plan.model_dump(mode="json", exclude_defaults=True)
    told = json.dumps([planned, sounds], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


def _said_of(item: Item) -> dict[str, object]:
    return {each.name: value for each in fields(item) if (value := getattr(item, each.name)) != each.default}
