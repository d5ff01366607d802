"""Acts of the tab "Listening tests", each one verb of the studio. They answer in keys and figures; assets/web/ puts them into words."""

from collections.abc import Callable
from pathlib import PurePosixPath

from studio.listening.keep.test import ListeningTest
from studio.listening.people.people import told_of
from studio.listening.plan.plan_check import plan_of
from studio.service import Studio
from studio.ui.clips.clip_intake import read_sent
from studio.ui.gradio.asked import rows_in, whole_in
from studio.ui.gradio.messages import answered
from studio.ui.listening_tests.listening_values import choices_of, draft_of, findings_of_test, line_of, row_of

__all__ = [
    "act_on_test",
    "count_listener",
    "delete_listener",
    "draft_choices",
    "import_test",
    "keep_test",
    "show_findings",
    "show_listener",
    "show_test",
    "take_test_sound",
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
    plan = plan_of(asked["plan"])
    test = studio.listening.change(_id(asked), plan) if asked.get("id") else studio.listening.create(plan)
    return {"test": draft_of(studio, test)}


@answered
def take_test_sound(studio: Studio, asked: Value) -> Value:
    """Keep a file of a system or of the reference. asked: {id, system, text, sent}; system: its id, or "reference"; text: its number."""
    upload = read_sent(asked.get("sent"))
    test = studio.listening.add_sound(_id(asked), str(asked["system"]), whole_in(asked, "text"), upload.data, upload.filename)
    return {"test": draft_of(studio, test)}


@answered
def act_on_test(studio: Studio, asked: Value) -> Value:
    """asked: {id, act}, act one of ACTS. {test} as it is then, the new one of a copy; without one where it is deleted."""
    done = ACTS[str(asked["act"])](studio, _id(asked))
    if asked["act"] == "delete":
        return {}
    return {"test": draft_of(studio, done or studio.listening.test(_id(asked)))}


@answered
def show_findings(studio: Studio, asked: Value) -> Value:
    """{test} with its findings. asked: {id}. A problem until it is closed or unblinded."""
    return {"test": findings_of_test(studio, studio.listening.test(_id(asked)))}


@answered
def count_listener(studio: Studio, asked: Value) -> Value:
    """Count a listener, or not, by hand. asked: {id, listener, counts}, counts None for as the rules say. {test} with the findings then."""
    counts = asked.get("counts")
    studio.listening.set_counted(_id(asked), str(asked["listener"]), None if counts is None else bool(counts))
    return {"test": findings_of_test(studio, studio.listening.test(_id(asked)))}


@answered
def show_listener(studio: Studio, asked: Value) -> Value:
    """{kept}: everything that is kept of one listener. asked: {id, listener}. A problem until the test is closed or unblinded."""
    return {"kept": told_of(studio.listening.listener(_id(asked), str(asked["listener"])))}


@answered
def delete_listener(studio: Studio, asked: Value) -> Value:
    """Everything of one listener, for good. asked: {id, listener}. {test} with the findings then."""
    studio.listening.shown(_id(asked))
    studio.listening.delete_listener(_id(asked), str(asked["listener"]))
    return {"test": findings_of_test(studio, studio.listening.test(_id(asked)))}


@answered
def import_test(studio: Studio, asked: Value) -> Value:
    """Drafts made of a webMUSHRA configuration, one for each kind of its pages, or of a list of clips.

    asked: {config, sounds}, files as `read_sent` has them.

    {tests, left_out, lacking}: rows of the list; what no plan has, as lines; names of files that the configuration names and nobody gave.
    A browser tells no folders: of files that are called the same in two of them none is taken, and both are lacking by their paths.
    """
    from studio.listening.foreign.clip_lists import is_clip_list, read_clip_list
    from studio.listening.foreign.webmushra import read_config

    sounds = {upload.filename: upload.data for upload in map(read_sent, rows_in(asked, "sounds") if asked.get("sounds") else ())}
    config = read_sent(asked.get("config"))
    text = config.data.decode("utf-8-sig", "replace")
    planned = read_clip_list(text, PurePosixPath(config.filename).stem or "-") if is_clip_list(text) else read_config(text)
    paths: dict[str, set[str]] = {}
    for path in (upload.path for one in planned for upload in one.uploads):
        paths.setdefault(PurePosixPath(path).name, set()).add(path)
    made, lacking = [], []
    for one in planned:
        test = studio.listening.create(one.plan)
        for upload in one.uploads:
            name = PurePosixPath(upload.path).name
            if len(paths[name]) > 1:
                lacking.append(upload.path)
            elif name in sounds:
                test = studio.listening.add_sound(test.id, upload.system, upload.text, sounds[name], name)
            else:
                lacking.append(name)
        made.append(row_of(test))
    left_out = [line_of(line) for one in planned for line in one.left_out]
    return {"tests": made, "left_out": left_out, "lacking": list(dict.fromkeys(lacking))}


@answered
def voice_tests(studio: Studio, asked: Value) -> Value:
    """{tests}: those that a voice is heard in, for the question what becomes of them. asked: {voice}."""
    return {"tests": [row_of(test) for test in studio.listening.tests_using(str(asked["voice"]))]}


ACTS: dict[str, Callable[[Studio, str], ListeningTest | None]] = {
    "render": lambda studio, test: studio.listening.begin_rendering(test),
    "stop": lambda studio, test: studio.listening.stop_rendering(test),
    "copy": lambda studio, test: studio.listening.copy(test),
    "freeze": lambda studio, test: studio.listening.freeze(test),
    "close": lambda studio, test: studio.listening.close_test(test),
    "unblind": lambda studio, test: studio.listening.unblind(test),
    "delete": lambda studio, test: studio.listening.delete(test),
}


def _id(asked: Value) -> str:
    return str(asked.get("id") or "")
