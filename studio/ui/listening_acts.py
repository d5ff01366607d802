"""What the tab "Listening tests" asks of the studio, each one verb: answers in keys and figures, which assets/web/ says in words."""

from collections.abc import Callable
from pathlib import PurePosixPath

from pydantic import ValidationError

from studio.errors import PlanUnusable
from studio.listening.plan import Plan
from studio.service import Studio
from studio.ui.clip_intake import read_sent
from studio.ui.listening_values import choices_of, draft_of, findings_of_test, row_of
from studio.ui.messages import answered

__all__ = [
    "act_on_test",
    "count_listener",
    "import_test",
    "keep_test",
    "show_findings",
    "show_test",
    "take_test_sound",
    "draft_choices",
    "voice_tests",
]

Value = dict[str, object]


@answered
def draft_choices(studio: Studio, asked: Value) -> Value:
    """What the builder offers. asked: {}."""
    return choices_of(studio)


@answered
def show_test(studio: Studio, asked: Value) -> Value:
    """{test} as it is by now: what the builder shows of a draft, and of any other how far it is. asked: {id}."""
    test = studio.listening.test(_id(asked))
    return {"test": draft_of(studio, test)}


@answered
def keep_test(studio: Studio, asked: Value) -> Value:
    """Keep a draft as it is now. asked: {id, plan}, id "" for a new one. {test} as `show_test`."""
    plan = _plan(asked["plan"])
    test = studio.listening.change(_id(asked), plan) if asked.get("id") else studio.listening.create(plan)
    return {"test": draft_of(studio, test)}


@answered
def take_test_sound(studio: Studio, asked: Value) -> Value:
    """Keep a file of a system or of the reference. asked: {id, system, text, sent}; system: its id, or "reference"; text: its number."""
    upload = read_sent(asked.get("sent"))
    test = studio.listening.add_sound(_id(asked), str(asked["system"]), int(asked["text"]), upload.data, upload.filename)
    return {"test": draft_of(studio, test)}


@answered
def act_on_test(studio: Studio, asked: Value) -> Value:
    """asked: {id, act}, act one of ACTS. {test} as it is then, without one where it is deleted."""
    ACTS[str(asked["act"])](studio, _id(asked))
    if asked["act"] == "delete":
        return {}
    return {"test": draft_of(studio, studio.listening.test(_id(asked)))}


@answered
def show_findings(studio: Studio, asked: Value) -> Value:
    """{test} with its findings. asked: {id}. A problem until it is closed or unblinded."""
    return {"test": findings_of_test(studio, studio.listening.test(_id(asked)))}


@answered
def count_listener(studio: Studio, asked: Value) -> Value:
    """Count a listener, or not, by hand; counts: None for as the rules say. asked: {id, listener, counts}. {test} with the findings then."""
    counts = asked.get("counts")
    studio.listening.set_counted(_id(asked), str(asked["listener"]), None if counts is None else bool(counts))
    return {"test": findings_of_test(studio, studio.listening.test(_id(asked)))}


@answered
def import_test(studio: Studio, asked: Value) -> Value:
    """A draft made of a webMUSHRA configuration. asked: {config, sounds}, files as `read_sent` has them. {test} in the list, and which
    of the files that it names were not given: {lacking}."""
    from studio.listening.report.webmushra import read_config

    sounds = {upload.filename: upload.data for upload in map(read_sent, asked.get("sounds") or [])}
    lacking: list[str] = []

    def read_file(path: str) -> bytes:
        name = PurePosixPath(path.replace("\\", "/")).name
        if name not in sounds:
            lacking.append(name)
        return sounds.get(name, b"")

    plan, uploads = read_config(read_sent(asked.get("config")).data.decode("utf-8", "replace"), read_file)
    test = studio.listening.create(plan)
    for (system, text), data in uploads.items():
        if data:
            test = studio.listening.add_sound(test.id, system, text, data, "")
    return {"test": row_of(test), "lacking": lacking}


@answered
def voice_tests(studio: Studio, asked: Value) -> Value:
    """{tests}: those that a voice is heard in, for the question what becomes of them. asked: {voice}."""
    return {"tests": [row_of(test) for test in studio.listening.tests_using(str(asked["voice"]))]}


ACTS: dict[str, Callable[[Studio, str], object]] = {
    "render": lambda studio, test: studio.listening.begin_rendering(test),
    "stop": lambda studio, test: studio.listening.stop_rendering(test),
    "freeze": lambda studio, test: studio.listening.freeze(test),
    "close": lambda studio, test: studio.listening.close_test(test),
    "unblind": lambda studio, test: studio.listening.unblind(test),
    "delete": lambda studio, test: studio.listening.delete(test),
}


def _id(asked: Value) -> str:
    return str(asked.get("id") or "")


def _plan(values: object) -> Plan:
    """Raises PlanUnusable, with the name of the field."""
    try:
        return Plan.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "plan"
        raise PlanUnusable(field, first["msg"]) from None
