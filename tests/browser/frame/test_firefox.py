"""The way through the page in Firefox: load, create by upload, speak, stop, history; and the matrix stays in its rows."""

import pytest

from tests.browser.conftest import DEMO, SHARED
from tests.browser.driving.firefox import Firefox, find_firefox, started_firefox
from tests.browser.studios.tone_server import served_tones

pytestmark = pytest.mark.browser

TEXT = "This is said in another browser. "  # beside the words that stand there: enough to be stopped before its end is heard
# What the page is known by here.
READY = "window.studio?.speaking && studio.choice.known.engine"
FILE, ABOUT_FILE = "#clip-file", "#clip-about"
STEP_CONSENT, REASON, STEP_CREATE = "#step-consent", "#consent [value=licensed]", "#step-extract"
WHO, NAME, CREATE, CREATED = "#consent-who", "#voice-name", "#create-button", "#create-message .notice"
SPEAK, TEXT_FIELD = "#speak-button", "#text"
ENTRIES = "#history-list .take"
ROWS = "#matrix tr[data-voice]"


@pytest.fixture
def firefox(tmp_path):
    program = find_firefox() or pytest.skip("there is no Firefox on PATH")
    with started_firefox(program, tmp_path) as firefox:
        yield firefox


@pytest.fixture
def address(tmp_path_factory) -> str:
    return SHARED.get("tones", lambda: served_tones(tmp_path_factory.mktemp("tones"))).address


def test_firefox_creates_speaks_stops_and_remembers(firefox, address):
    firefox.open(address)
    firefox.wait_for(READY)
    create_by_upload(firefox)
    speak_and_stop(firefox)
    open_tab(firefox, "History")
    firefox.wait_for(f"{text_of(ENTRIES)}.includes('{TEXT.strip()}')")
    open_tab(firefox, "Cache & models")
    firefox.wait_for(f"document.querySelectorAll('{ROWS}').length")
    assert crossing(firefox) == []
    assert firefox.errors == []


def open_tab(firefox: Firefox, name: str) -> None:
    firefox.press(role="tab", name=name)


def text_of(css: str) -> str:
    """Script: the words of an element, "" while it is not there."""
    return f"(document.querySelector('{css}')?.textContent ?? '')"


def create_by_upload(firefox: Firefox) -> None:
    open_tab(firefox, "Create voice")
    firefox.wait_for(f"document.querySelector('{FILE}')")
    firefox.choose_files(FILE, [DEMO])
    firefox.wait_for(f"{text_of(ABOUT_FILE)}.includes('{DEMO.name}')")
    firefox.press(css=STEP_CONSENT)
    for field, words in ((NAME, "Foxglove"), (WHO, "the demo speaker, whom nobody is")):
        firefox.press(css=field)
        firefox.type(words)
    firefox.press(css=REASON)
    firefox.wait_for("studio.creating.isChecked")
    firefox.press(css=STEP_CREATE)
    firefox.press(css=CREATE)
    firefox.wait_for(f"document.querySelector('{CREATED}[data-kind=done]')")


def speak_and_stop(firefox: Firefox) -> None:
    open_tab(firefox, "Speak")
    firefox.wait_for("studio.choice.known.voice === 'Foxglove'")
    firefox.press(css=TEXT_FIELD)
    firefox.type(4 * TEXT)
    firefox.press(css=SPEAK)
    firefox.wait_for("studioPlayer.tap().rms > 0.01 && studioPlayer.heardSeconds > 0.5")  # a press soon after the first is no Stop
    firefox.press(css=SPEAK)
    firefox.wait_for("studioPlayer.state === 'stopped'")


def crossing(firefox: Firefox) -> list[str]:
    """Voices of the matrix of which something reaches over an edge of their row."""
    script = f"""[...document.querySelectorAll("{ROWS}")].filter((row) => {{
      const edges = row.getBoundingClientRect();
      return [...row.querySelectorAll("*")].filter((part) => part.getClientRects().length).some((part) => {{
        const box = part.getBoundingClientRect();
        return [edges.top - box.top, box.bottom - edges.bottom, edges.left - box.left, box.right - edges.right].some((over) => over > 0.5);
      }});
    }}).map((row) => row.dataset.voice)"""
    return firefox.value(script)
