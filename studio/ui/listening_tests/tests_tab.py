"""Listening tests: the list, the builder, results. A listener has a page of its own, without any of this (listen.py)."""

from dataclasses import dataclass

import gradio as gr

from studio.service import Studio
from studio.ui.gradio import web
from studio.ui.gradio.current_visit import LIGHT, named
from studio.ui.gradio.news import News, VerifiedDigests, changes, kept_by_the_window
from studio.ui.listening_tests.judged_values import judge_table, judged_file
from studio.ui.listening_tests.listening_acts import (
    act_on_test,
    count_listener,
    delete_listener,
    draft_choices,
    import_test,
    keep_test,
    show_findings,
    show_listener,
    show_test,
    take_test_sound,
)
from studio.ui.listening_tests.listening_values import list_of

__all__ = ["ListeningTestsFields", "build_tests_fields", "show_changed_tests", "show_tests", "wire_tests"]

ASKED = (
    *(draft_choices, show_test, keep_test, take_test_sound, act_on_test, show_findings, count_listener, show_listener, delete_listener),
    *(import_test, judge_table, judged_file),
)


@dataclass(frozen=True)
class ListeningTestsFields:
    """The tab's component, for the page to wire. tests: its value is the list; all else its script asks by itself."""

    tests: gr.HTML


def build_tests_fields(studio: Studio) -> ListeningTestsFields:
    """The tab's components in their order on the page; called inside of the tab."""
    tests = gr.HTML(
        None,
        elem_id="tests",
        html_template=web.markup("tests/tests"),
        js_on_load=web.mount("tests", "look", calls=True),
        apply_default_css=False,
        server_functions=[named(handler, studio) for handler in ASKED],
    )
    return ListeningTestsFields(tests)


def wire_tests(studio: Studio, fields: ListeningTestsFields, tab: gr.Tab, news: News) -> None:
    """news: brings what changed elsewhere."""
    checked, seen = VerifiedDigests(), kept_by_the_window("tests")
    shown = [fields.tests, seen]
    show = named(show_tests, studio, checked)
    tab.select(show, None, shown, **LIGHT)  # what is in a tab that is not shown misses its updates
    news.bring(named(show_changed_tests, studio, checked), [seen], shown)
    fields.tests.look(show, None, shown, **LIGHT)


def show_tests(studio: Studio, checked: VerifiedDigests) -> tuple[dict[str, object], str]:
    """The list, and the digest of it."""
    version = studio.listening.version()  # before the look, so that a change between the two is looked at again
    value = list_of(studio.listening.tests())
    return value, checked.note(version, studio.workspace, value | {"at": None})


def show_changed_tests(studio: Studio, checked: VerifiedDigests, seen: str) -> tuple:
    """The same where something changed since `seen`; else nothing is shown anew."""
    return changes(seen, 1, lambda: show_tests(studio, checked), checked.is_true(seen, studio.listening.version()))
