"""Answers about listening tests: the forms of the JSON, and how a test is turned into them."""

from collections.abc import Iterable
from dataclasses import asdict

from pydantic import BaseModel, ConfigDict, Field

from studio.listening.keep.test import ListeningTest, LogEntry, State
from studio.listening.listening import Listening
from studio.listening.plan.design import Check
from studio.listening.plan.plan import Method, Plan
from studio.running.jobs.background_jobs import JobProgress
from studio.speech.refusal import refusal_of, told_values

__all__ = [
    "LISTEN",
    "CheckAnswer",
    "ListenersAnswer",
    "OneTestAnswer",
    "PlanBody",
    "TestAnswer",
    "TestListAnswer",
    "VotesAnswer",
    "one_test",
    "test_answer",
]

LISTEN = "/listen/"  # where the page of a test is, for whoever has the link
EXAMPLE = {
    "name": "Which sounds more natural?",
    "method": "ab",
    "systems": [{"id": "fast", "voice": "default"}, {"id": "slow", "voice": "default", "options": {"speed": 0.8}}],
    "texts": ["The bus leaves at ten past seven.", "Who told you that?"],
    "language": "en",
}


class PlanBody(Plan):
    """The plan of a listening test."""

    __test__ = False
    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})


class MendAnswer(BaseModel):
    """A change that mends a check. patch: fields that take the place of the plan's own, to be sent with the rest of it. remakes: whether
    the sounds are to be made then."""

    key: str
    patch: dict[str, object]
    values: dict[str, object]
    remakes: bool


class CheckAnswer(BaseModel):
    """A condition of blindness or of sense. needed: freezing waits for it; others are warnings. mends: the smallest change first."""

    key: str
    passed: bool
    needed: bool
    values: dict[str, object]
    mends: list[MendAnswer]


class RenderAnswer(BaseModel):
    """How far the sounds are. failure: why the last rendering ended, where it did not end well."""

    done: int
    total: int
    seconds_left: float | None
    now: str
    running: bool
    failure: dict[str, object] | None


class UploadAnswer(BaseModel):
    """A sound that was sent. system: "reference" for the open reference; text: index into the plan's texts."""

    system: str
    text: int


class LogAnswer(BaseModel):
    """at: seconds since 1970."""

    at: float
    event: str
    details: dict[str, object]


class TestAnswer(BaseModel):
    """One test in the list. created, closed: seconds since 1970. sounds: how many are rendered. listen: path of the listeners' page.

    listeners_begun, listeners_done: whoever made the test and tried it left out.
    """

    __test__ = False
    id: str
    name: str
    method: Method
    state: State
    created: float
    closed: float | None
    unblinded: bool
    sounds: int
    listeners_begun: int
    listeners_done: int
    listen: str


class TestListAnswer(BaseModel):
    """Newest first."""

    __test__ = False
    tests: list[TestAnswer]


class OneTestAnswer(TestAnswer):
    """frozen_hash: SHA-256 of plan and sounds, "" of a draft. log: oldest first."""

    plan: dict[str, object] = Field(description="As it was sent, with what was left out.")
    frozen_hash: str
    checks: list[CheckAnswer]
    progress: RenderAnswer
    uploads: list[UploadAnswer]
    log: list[LogAnswer]


class ListenersAnswer(BaseModel):
    """A row for each who began: when, with what, from where, and what they said of themselves."""

    listeners: list[dict[str, object]]


class VotesAnswer(BaseModel):
    """A row for each thing judged; what its members mean stands in the export's columns of the same names."""

    votes: list[dict[str, object]]


def test_answer(test: ListeningTest) -> TestAnswer:
    """As the list has it."""
    return TestAnswer(
        id=test.id,
        name=test.plan.name,
        method=test.plan.method,
        state=test.state,
        created=test.created,
        closed=test.closed,
        unblinded=test.is_unblinded,
        sounds=len(test.items),
        listeners_begun=test.n_begun,
        listeners_done=test.n_done,
        listen=LISTEN + test.link,
    )


def one_test(listening: Listening, test: ListeningTest) -> OneTestAnswer:
    """With what is asked of the studio about it."""
    return OneTestAnswer(
        **test_answer(test).model_dump(),
        plan=test.plan.model_dump(mode="json"),
        frozen_hash=test.frozen_hash,
        checks=[_check(check) for check in listening.checks(test.id)],
        progress=_progress(listening.progress(test.id)),
        uploads=[UploadAnswer(system=system, text=text) for system, text in listening.uploads(test.id)],
        log=_log(listening.log(test.id)),
    )


def _check(check: Check) -> CheckAnswer:
    return CheckAnswer(**asdict(check))


def _progress(progress: JobProgress) -> RenderAnswer:
    failure = None
    if progress.failure is not None:
        told = refusal_of(progress.failure)
        failure = {"message": told.message, "hint": told.hint, "reason_code": told.code, "values": told_values(progress.failure)}
    left = progress.seconds_left
    return RenderAnswer(
        done=progress.done,
        total=progress.total,
        seconds_left=None if left is None else round(left, 1),
        now=progress.now,
        running=progress.is_running,
        failure=failure,
    )


def _log(entries: Iterable[LogEntry]) -> list[LogAnswer]:
    return [LogAnswer(**asdict(entry)) for entry in entries]
