"""What a window shows already is for the window to say: its answers may be drawn in another order than they were made in."""

import asyncio

import gradio as gr
import pytest

from studio.audio.spoken_sounds import SpokenSounds
from studio.ui.frame.page import build_page
from studio.ui.gradio.news import News, VerifiedDigests, changes


def test_who_shows_what_is_old_is_told_again_whatever_was_sent_before():
    checked, versions = VerifiedDigests(), {"1": "learning", "2": "ready"}
    old, new = (checked.note(version, shown) for version, shown in versions.items())

    def tick(seen: str) -> tuple:
        return changes(seen, 1, lambda: ("ready", checked.note("2", "ready")), checked.is_true(seen, "2"))

    assert tick(new) == (gr.skip(),) * 2
    for _ in range(2):
        assert tick(old) == ("ready", new)


def test_a_look_that_finds_what_is_seen_sends_nothing_and_need_not_be_made_again():
    checked = VerifiedDigests()
    digest = checked.note("1", "the same")
    assert changes(digest, 2, lambda: ("a", "b", checked.note("2", "the same"))) == (gr.skip(),) * 3
    assert checked.is_true(digest, "2") and not checked.is_true(digest, "1")


def test_two_who_see_the_same_are_told_apart():
    checked = VerifiedDigests()
    assert checked.note("1", "ann", []) != checked.note("2", "bo", [])


@pytest.mark.slow
def test_the_server_keeps_nothing_of_what_windows_show(open_studio):
    async def build() -> dict:  # outside of a running loop Gradio opens loops of its own and leaves them open
        return build_page(open_studio(), SpokenSounds(), News()).get_config_file()

    components = asyncio.run(build())["components"]
    kept = {part["props"]["elem_id"] for part in components if str(part["props"].get("elem_id")).endswith("-seen")}
    assert kept == {"head-seen", "voices-seen", "cache-seen", "tests-seen", "history-seen"}
    assert "state" not in {part["type"] for part in components}
