"""The time to first sound is one figure: what the page measured is kept with the take, and told wherever the take is told."""

import numpy as np
import pytest

from engines.clips.clip import Clip
from studio.service import Studio
from studio.speakers.speaker import Enrollment
from studio.speech.request import SpeechRequest
from studio.ui.cache.cache_tab import matrix_value
from studio.ui.speak.history import history_value, show_changed_history, show_history
from studio.ui.speak.speaking import note_first_sound
from tests.api.door import eventually


def spoken(studio: Studio) -> dict[str, object]:
    """The row of a warm take."""
    samples = np.sin(np.arange(48_000) / 20).astype(np.float32)
    studio.enroll(Enrollment("Ana", "own", clip=Clip(samples, 24_000)))
    studio.warm("Ana")
    with studio.speak(SpeechRequest("hello", speaker="Ana", keep=True)) as speech:
        speech.read_all()
    studio.history.settle()
    assert eventually(lambda: "warm" in cell(studio))
    return history_value(studio)["entries"][0]


def cell(studio: Studio) -> dict[str, object]:
    return matrix_value(studio)["rows"][0]["cells"][0]


def test_what_a_page_heard_stands_in_history_and_matrix_and_after_a_restart(open_studio):
    studio = open_studio()
    take = spoken(studio)
    assert (
        take["heard_ms"] is None and take["start"] == "warm" and cell(studio)["warm"] == {"server_ms": take["server_ms"], "heard_ms": None}
    )
    *_, seen = show_history(studio)
    assert note_first_sound(studio, {"entry": take["id"], "seconds": 1.25}) == {"is_kept": True}
    assert show_changed_history(studio, seen)[0]["entries"][0]["heard_ms"] == 1250
    assert cell(studio)["warm"] == {"server_ms": take["server_ms"], "heard_ms": 1250}
    assert history_value(open_studio())["entries"][0]["heard_ms"] == 1250


@pytest.mark.parametrize("seconds", [-1.0, 0.0, 3601.0, float("nan"), float("inf"), "1.0", None, []])
def test_what_cannot_be_is_not_kept(open_studio, seconds):
    studio = open_studio()
    take = spoken(studio)
    assert note_first_sound(studio, {"entry": take["id"], "seconds": seconds}) == {"is_kept": False}
    assert history_value(studio)["entries"][0]["heard_ms"] is None and cell(studio)["warm"]["heard_ms"] is None


def test_the_first_hearing_counts_and_only_that_of_ones_own_take(open_studio):
    studio = open_studio()
    entry = {"entry": spoken(studio)["id"]}
    other = note_first_sound(studio.within("b" * 8), entry | {"seconds": 1.0})
    assert other["problem"]["code"] == "entry_unknown"
    assert note_first_sound(studio, entry | {"seconds": 1.0}) == note_first_sound(studio, entry | {"seconds": 2.0}) == {"is_kept": True}
    assert history_value(studio)["entries"][0]["heard_ms"] == 1000


def test_an_earlier_take_changes_nothing_of_what_the_matrix_tells_of_the_last(open_studio):
    studio = open_studio()
    first = spoken(studio)
    with studio.speak(SpeechRequest("again", speaker="Ana", keep=True)) as speech:
        speech.read_all()
    assert eventually(lambda: cell(studio)["warm"]["server_ms"] != first["server_ms"])
    assert note_first_sound(studio, {"entry": first["id"], "seconds": 1.0}) == {"is_kept": True}
    assert cell(studio)["warm"]["heard_ms"] is None
