"""Screenshots of every tab, light and dark, wide and narrow: `python -m tests.browser.take_screenshots [FOLDER]`.

Into out/screenshots by default, with the embedded engine and the demo voice. Two of them, which the README shows, go to
assets/screenshots/ as well.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import httpx
from playwright.sync_api import Page, expect, sync_playwright

from studio.measure.server_process import start_server
from tests.browser.conftest import DEMO, FLAGS, ROOT
from tests.browser.studio_page import StudioPage

TEXT = "This is my voice. It was learned from a few seconds of speech, and you hear it before the sentence is done."
SIZES = {"1280": (1280, 900), "390": (390, 844)}
TABS = ("Voices", "Create voice", "Speak", "Cache & models", "History", "API")
SHOWN = {"speak-1280-light-whole": "speak.png", "cache-1280-dark": "cache.png"}  # in the README
MOST_BYTES = 300_000


def main(folder: Path) -> None:
    """Starts a studio of its own, fills it, and photographs it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as speakers, start_server(Path(speakers), headless=False) as server, sync_playwright() as playwright:
        about = {"name": "Rosa", "consent": "demo-licence", "language": "en"}
        httpx.post(f"{server.url}/v1/audio/voices", data=about, files={"audio_sample": DEMO.read_bytes()}, timeout=60).raise_for_status()
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
        for size, (width, height) in SIZES.items():
            for scheme in ("light", "dark"):
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
                _photograph(StudioPage(context.new_page(), server.url), folder, f"{size}-{scheme}")
                context.close()
    _show(folder)


def _photograph(page: StudioPage, folder: Path, kind: str) -> None:
    page.page.wait_for_function("studio.options.choice.voice === 'Rosa'")
    page.page.get_by_label("Text", exact=True).fill(TEXT)
    page.page.click("#compare-button")
    expect(page.page.locator("#runs tbody tr")).to_have_count(2, timeout=30_000)
    page.page.wait_for_function("studioPlayer.state === 'ended'", timeout=30_000)
    for tab in TABS:
        open_tab(page.page, tab)
        page.page.wait_for_timeout(700)
        page.page.screenshot(path=folder / f"{tab.lower().split()[0]}-{kind}.png")
        height = min(6000, page.page.evaluate("document.documentElement.scrollHeight"))
        size = page.page.viewport_size
        page.page.set_viewport_size({"width": size["width"], "height": max(height, size["height"])})
        page.page.screenshot(path=folder / f"{tab.lower().split()[0]}-{kind}-whole.png")
        page.page.set_viewport_size(size)


def open_tab(page: Page, tab: str) -> None:
    """A tab, or its entry in the menu of those for which a narrow window has no room."""
    direct = page.get_by_role("tab", name=tab, exact=True)
    if direct.is_visible():
        direct.click()
        return
    page.locator(".overflow-menu > button").click()
    page.locator(".overflow-dropdown button", has_text=tab).click()


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
