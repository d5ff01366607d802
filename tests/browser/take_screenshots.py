"""Screenshots of every tab and state, light and dark, wide and narrow: `python -m tests.browser.take_screenshots [FOLDER]`.

Into out/screenshots by default: the tabs of a studio with the embedded engine and four voices, and as `state-...` what such a studio shows
seldom, from `every_state.py`. Two of them, which the README shows, go to assets/screenshots/ as well.
"""

import io
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import httpx
import soundfile
import soxr
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from studio.measure.chromium import find_chromium
from studio.measure.server_process import start_server
from tests.api.door import eventually
from tests.browser.conftest import DEMO, MICROPHONE_FLAGS, ROOT
from tests.browser.every_state import every_state
from tests.browser.served_page import served_page
from tests.browser.studio_page import StudioPage

TEXT = "This is my voice. It was learned from a few seconds of speech, and you hear it before the sentence is done."
LONG_TEXT = "One sentence follows another until somebody has heard enough of it and presses a button. " * 3
SIZES = {"1280": (1280, 900), "390": (390, 844)}
TABS = ("Speak", "Voices", "Create voice", "Cache & models", "History", "API")
SHOWN = {"speak-1280-light-whole": "speak.png", "cache-1280-dark-whole": "cache.png"}  # in the README
MOST_BYTES = 300_000
# name -> (by how much the demo voice is raised, what else is said of it)
VOICES = {
    "Mira": (1.12, {"speaker_description": "Bright and quick"}),
    "Ben": (0.8, {}),
    "Ana": (0.9, {"speaker_description": "Low and calm"}),
    "Rosa": (1.0, {"speaker_description": "The demo voice: nobody speaks like it"}),
}

Shoot = Callable[[StudioPage, str], None]


def main(folder: Path) -> None:
    """Starts studios of its own, fills them, and photographs them."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as home:
        _photograph_tabs(playwright, folder, Path(home) / "tabs")
        _photograph_states(playwright, folder, Path(home) / "states")
    _show(folder)


def _photograph_tabs(playwright: Playwright, folder: Path, home: Path) -> None:
    with start_server(home, headless=False) as server:  # whoever starts again finds on disk what was learned here
        for name, (raised, about) in VOICES.items():
            data = {"name": name, "consent": "demo-licence", "language": "en", **about}
            httpx.post(f"{server.url}/v1/audio/voices", data=data, files={"audio_sample": _raised(raised)}, timeout=60).raise_for_status()
        assert eventually(lambda: httpx.get(f"{server.url}/v1/audio/cache/stats").json()["extractions"] >= len(VOICES), seconds=60)
    with start_server(home, headless=False) as server:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(MICROPHONE_FLAGS))
        _each_look(browser, server.url, folder, _tabs)
        browser.close()


def _photograph_states(playwright: Playwright, folder: Path, home: Path) -> None:
    with every_state(home) as studio, served_page(studio) as url:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(MICROPHONE_FLAGS))
        _each_look(browser, url, folder, _states)
        browser.close()


def _each_look(browser: Browser, url: str, folder: Path, walk: Callable[[StudioPage, Shoot], None]) -> None:
    for size, (width, height) in SIZES.items():
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
            kind = f"{size}-{scheme}"
            walk(StudioPage(context.new_page(), url), lambda page, name, kind=kind: _shoot(page, folder, f"{name}-{kind}"))
            context.close()


def _tabs(page: StudioPage, shoot: Shoot) -> None:
    page.page.wait_for_function("studio.choice.known.voice === 'Rosa'")
    page.page.get_by_label("Text", exact=True).fill(TEXT)
    page.press_more("compare")
    expect(page.page.locator(".result-lines > .ttfp")).to_have_count(2, timeout=30_000)
    page.page.wait_for_function("studioPlayer.state === 'ended'", timeout=30_000)
    page.open_tab("Cache & models")
    steps = (
        ("Ana", "Make ready", "memory"),
        ("Ana", "Keep in memory", "memory"),
        ("Ben", "Free memory", "disk"),
        ("Ben", "Forget", "none"),
    )
    for name, verb, state in steps:
        cell = page.page.locator(f'tr[data-voice="{name}"] .cell').first
        cell.click()
        button = page.page.locator("#cell-card").get_by_role("button", name=verb, exact=True)
        if button.is_visible():
            button.click()
        page.page.keyboard.press("Escape")
        expect(cell).to_have_attribute("data-state", state)
    for tab in TABS:
        page.open_tab(tab)
        shoot(page, tab.lower().split()[0])


def _states(page: StudioPage, shoot: Shoot) -> None:
    act = page.page
    act.wait_for_function("studio.choice.voiceKnown?.is_stored")
    act.get_by_label("Text", exact=True).fill("")
    act.click("#speak-button")
    shoot(page, "state-speak-error")
    act.get_by_label("Text", exact=True).fill(LONG_TEXT)
    page.press_more("parts")
    act.click("#speak-button")
    act.wait_for_function("studioPlayer.heardSeconds > 1")
    shoot(page, "state-speak-playing")
    act.keyboard.press("Escape")
    page.open_tab("Voices")
    act.get_by_role("button", name="Actions for Ana").click()
    shoot(page, "state-voices-menu")
    act.get_by_role("menuitem", name="Replace recording").click()
    shoot(page, "state-voices-replace")
    act.keyboard.press("Escape")
    page.open_tab("Create voice")
    act.set_input_files("#clip-file", DEMO)
    page.wait_for_report()
    for step in ("clip", "check", "transcript", "consent", "extract"):
        page.open_step(step)
        shoot(page, f"state-create-{step}")
    page.open_tab("Cache & models")
    expect(act.locator('.cell[data-state="learning"]').first).to_be_visible()
    shoot(page, "state-cache")
    act.locator('.cell[data-state="stale"]').click()
    shoot(page, "state-cache-card")
    act.keyboard.press("Escape")
    page.open_tab("History")
    act.get_by_role("button", name="Delete all").click()
    shoot(page, "state-history-question")


def _shoot(page: StudioPage, folder: Path, name: str) -> None:
    """The window, and as `-whole` the page down to its end."""
    page.page.wait_for_timeout(500)
    page.page.screenshot(path=folder / f"{name}.png")
    size = page.page.viewport_size
    height = min(6000, page.page.evaluate("document.documentElement.scrollHeight"))
    if height <= size["height"] and name not in SHOWN:
        return
    page.page.set_viewport_size({"width": size["width"], "height": max(height, size["height"])})
    page.page.screenshot(path=folder / f"{name}-whole.png")
    page.page.set_viewport_size(size)


def _raised(factor: float) -> bytes:
    """The demo recording as another voice: WAV, played faster or slower."""
    samples, rate = soundfile.read(DEMO, dtype="float32")
    file = io.BytesIO()
    soundfile.write(file, soxr.resample(samples, rate * factor, rate), rate, format="WAV", subtype="PCM_16")
    return file.getvalue()


def _show(folder: Path) -> None:
    shown = ROOT / "assets" / "screenshots"
    shown.mkdir(exist_ok=True)
    for taken, name in SHOWN.items():
        picture = folder / f"{taken}.png"
        if picture.stat().st_size > MOST_BYTES:
            raise ValueError(f"{picture} has {picture.stat().st_size} bytes; the limit is {MOST_BYTES}")
        shutil.copy(picture, shown / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out" / "screenshots")
