"""Screenshots of the page, screen by screen, light and dark, wide and narrow: `python -m tests.browser.screens.take_screenshots [FOLDER]`.

Into out/screenshots by default, with a contact sheet for each width and mode. --beside FOLDER: pictures of the same names, such as
drawings, lie beside ours there. First a studio with the embedded engine and four voices, then an empty one, as `state-...` what a
studio shows seldom, and one with listening tests. Some of them, which the README shows, go to assets/screenshots/ as well.
"""

import argparse
import io
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import soundfile
import soxr
from playwright.sync_api import Browser, expect, sync_playwright

from studio.measure.page.chromium import find_chromium
from studio.measure.server.server_process import start_server
from tests.api.door import eventually
from tests.browser.conftest import DEMO, ROOT, flags_for
from tests.browser.driving.studio_page import StudioPage
from tests.browser.screens.contact_sheet import write_contact_sheets
from tests.browser.screens.listening_screens import listening_screens
from tests.browser.studios.every_state import empty_studio, every_state
from tests.browser.studios.listened_studio import listened_studio
from tests.browser.studios.served_page import served_page
from tests.stand_ins import patient_http

TEXT = "This is my voice. It was learned from a few seconds of speech, and you hear it before the sentence is done."
OTHER_TEXTS = ("The train to the coast leaves at half past nine.", "Nobody had an umbrella, so we laughed and ran.")
SIZES = {"1280": (1280, 800), "390": (390, 844)}
KINDS = tuple(f"{size}-{scheme}" for size in SIZES for scheme in ("light", "dark"))
SHOWN = {"speak-1280-light": "speak.png", "voices-1280-light": "voices.png", "cache-1280-dark": "cache.png"}  # in the README
MOST_BYTES = 300_000
REST_MILLISECONDS = 400  # until what folds or rises has done so
# name -> (by how much the demo voice is raised, what else is said of it)
VOICES = {
    "Mira": (1.12, {"speaker_description": "Bright and quick"}),
    "Ben": (0.8, {}),
    "Ana": (0.9, {"speaker_description": "Low and calm"}),
    "Rosa": (1.0, {"speaker_description": "The demo voice: nobody speaks like it"}),
}

Shoot = Callable[[str], None]


def main() -> None:
    """Starts studios of its own, fills them, and photographs them."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "out" / "screenshots")
    parser.add_argument("--beside", type=Path, help="a folder with pictures of the same names")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    names: list[str] = []
    with tempfile.TemporaryDirectory() as home:
        with _filled(Path(home) / "voices") as url:
            names += _each_look(url, options.folder, _screens)
        for opened, walk in ((empty_studio, _empty), (every_state, _states), (listened_studio, listening_screens)):
            with opened(Path(home) / walk.__name__) as studio, served_page(studio) as url:
                names += _each_look(url, options.folder, walk)
    write_contact_sheets(options.folder, list(dict.fromkeys(names)), KINDS, options.beside)
    _show(options.folder)


@contextmanager
def _filled(folder: Path) -> Iterator[str]:
    """The address of a studio whose four voices were learned by an earlier one."""
    with start_server(folder, headless=False) as server:
        for name, (raised, about) in VOICES.items():
            data = {"name": name, "consent": "demo-licence", "language": "en", **about}
            httpx.post(f"{server.url}/v1/audio/voices", data=data, files={"audio_sample": _raised(raised)}, timeout=60).raise_for_status()
        assert eventually(lambda: patient_http.get(f"{server.url}/v1/audio/cache/stats").json()["extractions"] >= len(VOICES), seconds=60)
    with start_server(folder, headless=False) as server:
        yield server.url


def _microphone(folder: Path) -> Path:
    """What the fake microphone plays, which has to be a WAV."""
    samples, rate = soundfile.read(DEMO)
    soundfile.write(folder / "speech.wav", samples, rate, subtype="PCM_16")
    return folder / "speech.wav"


def _each_look(url: str, folder: Path, walk: Callable[[StudioPage, Shoot], None]) -> list[str]:
    """The names of what the walk shot, once for each size and mode."""
    names = []
    with tempfile.TemporaryDirectory() as heard, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=flags_for(_microphone(Path(heard))))
        for kind in KINDS:
            page = _opened(browser, kind)

            def shoot(name: str, kind: str = kind, page=page) -> None:
                page.wait_for_timeout(REST_MILLISECONDS)
                page.screenshot(path=folder / f"{name}-{kind}.png")
                names.append(name)

            walk(StudioPage(page, url), shoot)
            page.context.close()
        browser.close()
    return names


def _opened(browser: Browser, kind: str):
    size, scheme = kind.split("-")
    width, height = SIZES[size]
    viewport = {"width": width, "height": height}
    context = browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion="reduce", permissions=["microphone"])
    return context.new_page()


def _screens(page: StudioPage, shoot: Shoot) -> None:
    act = page.page
    page.open_tab("Speak")
    act.wait_for_function("studio.choice.known.voice === 'Rosa'")
    for text in OTHER_TEXTS:
        page.speak(text)
    page.speak(TEXT)
    act.click("#speak-button")
    act.wait_for_function("studioPlayer.heardSeconds > 1.5")
    shoot("speak")
    page.wait_to_stop()
    page.show_options()
    act.locator("#result .result-fold, #result [aria-expanded=false]").first.click()
    shoot("speak-details")
    page.unfold_player()
    shoot("speak-player")
    act.click("#player-unfold")
    act.keyboard.press("Escape")
    act.click("#options-toggle")
    for name in ("voice", "language"):
        act.click(f"#{name}")
        shoot(f"speak-choose-{name}")
        act.keyboard.press("Escape")
    act.get_by_label("Text", exact=True).fill(" ")
    act.click("#speak-button")
    shoot("speak-problem")
    for tab, name in (("Voices", "voices"), ("Cache & models", "cache"), ("History", "history"), ("API", "api")):
        page.open_tab(tab)
        shoot(name)
    _create(page, shoot)


def _create(page: StudioPage, shoot: Shoot) -> None:
    act = page.page
    page.open_tab("Create voice")
    act.click("#clip-toggle")
    act.wait_for_function("parseFloat(document.querySelector('#clip-seconds').textContent) >= 7")
    shoot("create-record")
    act.click("#clip-toggle")
    page.wait_for_report()
    page.open_step("check")
    shoot("create-check")
    for step in ("transcript", "consent", "extract"):
        page.open_step(step)
        shoot(f"create-{step}")


def _empty(page: StudioPage, shoot: Shoot) -> None:
    page.open_tab("Voices")
    expect(page.page.locator("#voices-empty")).to_be_visible()
    shoot("voices-empty")


def _states(page: StudioPage, shoot: Shoot) -> None:
    act = page.page
    page.open_tab("Voices")
    act.get_by_role("button", name="Ana").last.wait_for()
    shoot("state-voices")
    page.open_tab("Cache & models")
    expect(act.locator('#cache-section [data-state="learning"]:visible').first).to_be_visible()
    shoot("state-cache")
    page.open_tab("Speak")
    act.click("#engine")
    shoot("state-speak-choose-engine")
    act.keyboard.press("Escape")


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
    main()
