"""The real process, a real Chromium with a fake microphone, and pages that fail a test when the console or the network complains."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from functools import partialmethod
from pathlib import Path
from typing import TypeVar

import pytest
import soundfile
from playwright.sync_api import Browser, Page, expect

from studio.measure.page.chromium import FLAGS, find_chromium
from studio.service import Studio
from studio.settings import Settings
from tests.browser.driving.complaints import hear_errors, hear_strangers
from tests.browser.driving.kept_pages import KeptPages
from tests.browser.driving.shared import Shared, driven
from tests.browser.driving.studio_page import PATIENCE_MILLISECONDS, StudioPage
from tests.browser.driving.visitors import PROCESS_FLAG, Visitors
from tests.browser.studios.every_state import empty_studio, every_state
from tests.browser.studios.served_page import served_page
from tests.browser.studios.tone_page import WINDOW, TonePage, wait_for_silence
from tests.browser.studios.tone_server import Tones, served_tones
from tests.stand_ins.opened_studio import no_estimators, open_studio  # noqa: F401 - fixtures
from tests.stand_ins.server_process import start_server

HERE = Path(__file__).parent
T = TypeVar("T")
ROOT = Path(__file__).parents[2]
DEMO = ROOT / "assets" / "voices" / "demo.flac"
MICROPHONE_SECONDS = 5.0
TONES = ("-m", "tests.browser.studios.tone_server")
KEY = "only-for-friends"  # of the locked studio
INSECURE_HOST = "studio.test"  # plain http and no localhost: browsers withhold the microphone there
MICROPHONE_FLAGS = (
    *FLAGS,
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    f"--host-resolver-rules=MAP {INSECURE_HOST} 127.0.0.1",
)
MEDIA = ("color_scheme", "reduced_motion")
STILL = {"reduced_motion": "reduce"}  # what moves costs a tenth of what a page does; tests of that say otherwise
OF_GRADIO = "ignore:'future.no_silent_downcasting' is deprecated"
SHARED = Shared()
# Where a test does not say how often a page is to be asked, it would be asked at every frame, which draws 60 a second of a page that rests.
ASKED_MILLISECONDS = 25.0
expect.set_options(timeout=PATIENCE_MILLISECONDS)
Page.wait_for_function = partialmethod(Page.wait_for_function, polling=ASKED_MILLISECONDS)


def flags_for(microphone: Path) -> list[str]:
    """Of a Chromium whose microphone plays a file, over and over."""
    return [*MICROPHONE_FLAGS, f"--use-file-for-fake-audio-capture={microphone}"]


@pytest.fixture(scope="session")
def chromium_path() -> str:
    return find_chromium() or pytest.skip("there is no Chromium on PATH; `make browser` installs one")


@pytest.fixture(scope="session")
def microphone(tmp_path_factory) -> Path:
    """What the fake microphone plays, over and over."""
    samples, sample_rate = soundfile.read(DEMO)
    path = tmp_path_factory.mktemp("microphone") / "speech.wav"
    soundfile.write(path, samples[: int(MICROPHONE_SECONDS * sample_rate)], sample_rate, subtype="PCM_16")
    return path


@pytest.fixture(scope="session")
def folders(tmp_path_factory) -> dict[str, Path]:
    return {name: tmp_path_factory.mktemp(name) for name in ("speakers", "uploads")}


def pytest_collection_modifyitems(items):
    """Gradio's queue asks pandas in a way that pandas warns of; its servers are in this process, where a warning is an error."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.filterwarnings(OF_GRADIO))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """After the last browser test in a row, before anybody else's."""
    result = yield
    if nextitem is None or not nextitem.path.is_relative_to(HERE):
        SHARED.close()
    return result


@pytest.fixture
def address(folders, chromium_path) -> str:
    """http://127.0.0.1:PORT of `python app.py`, with folders of its own."""
    environment = {"GRADIO_TEMP_DIR": str(folders["uploads"]), "STUDIO_HOSTS": INSECURE_HOST}
    return SHARED.get("app", lambda: start_server(folders["speakers"], headless=False, environment=environment)).url


@pytest.fixture
def embedded_address(folders, chromium_path, tmp_path_factory) -> str:
    """The same in this process, where it begins in a tenth of the time: for whoever asks nothing of the process itself."""
    return SHARED.get("embedded", lambda: _uploading_to(folders["uploads"], _embedded(tmp_path_factory.mktemp("embedded"))))


@pytest.fixture
def tones(folders, chromium_path, tmp_path_factory) -> Iterator[Tones]:
    """A studio whose engines are tones with a settable pace (tone_engine.py). Whoever is held there is let go after the test."""
    tones = SHARED.get("tones", lambda: _uploading_to(folders["uploads"], served_tones(tmp_path_factory.mktemp("tones"))))
    wait_for_silence(tones.address)  # or a speech of the test before, on its way to where it is held, would stay there
    tones.let_go.clear()
    yield tones
    tones.let_go.set()


@pytest.fixture
def tone_address(tones) -> str:
    return tones.address


@pytest.fixture
def locked_address(chromium_path, tmp_path_factory) -> str:
    """The same of a studio with a key, which is KEY."""
    return SHARED.get("locked", lambda: served_tones(tmp_path_factory.mktemp("locked"), api_keys=(KEY,))).address


@pytest.fixture
def full_address(chromium_path, tmp_path_factory) -> str:
    """The same of a studio that shows every state there is (every_state.py)."""
    return SHARED.get("full", lambda: _served(every_state(tmp_path_factory.mktemp("full"))))


@pytest.fixture
def empty_address(chromium_path, tmp_path_factory) -> str:
    """The same of a studio without voices and history."""
    return SHARED.get("empty", lambda: _served(empty_studio(tmp_path_factory.mktemp("empty"))))


@pytest.fixture
def browser(chromium_path, microphone) -> Browser:
    """One Chromium for all; each test has contexts of its own."""
    playwright = SHARED.get("playwright", driven)
    flags = [*flags_for(microphone), PROCESS_FLAG]
    return SHARED.get("chromium", lambda: playwright.chromium.launch(executable_path=chromium_path, args=flags))


@pytest.fixture
def complaints() -> list[str]:
    """Errors on the console, requests to foreign hosts, dialogs of the browser. A test that provokes one takes it out."""
    return []


@pytest.fixture
def visit(browser, complaints) -> Iterator[Callable[..., Page]]:
    """visit(**context options) -> Page of another visitor each time. What is left in `complaints` at the end fails the test.

    is_new: a browser in which nobody has ever been, so that its HTTP cache is empty as well.
    """
    visitors = _visitors(browser)
    contexts = []

    def make(width: int = 1280, permissions: Sequence[str] = (), is_new: bool = False, **options: object) -> Page:
        media = STILL | {name: options.pop(name) for name in MEDIA if name in options}
        if is_new or options:
            contexts.append(browser.new_context(**options))
        context = contexts[-1] if is_new or options else visitors.come()
        if permissions:
            context.grant_permissions(list(permissions))
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(**media)
        hear_errors(page, complaints.append)
        return page

    yield make
    for context in contexts:
        context.close()
    visitors.leave()
    assert complaints == []


@pytest.fixture(scope="module")
def pages_of_file() -> Iterator[KeptPages]:
    pages = KeptPages(STILL)
    yield pages
    pages.close()


@pytest.fixture
def kept_pages(pages_of_file, browser, complaints) -> Iterator[KeptPages]:
    """Pages that the tests of a file share. What is left in `complaints` at the end fails the test."""
    pages_of_file.begin(_visitors(browser), complaints)
    yield pages_of_file
    assert complaints == []


@pytest.fixture
def open_page(request, visit, complaints):
    """open_page(**what `visit` takes) -> StudioPage; with a transport, TonePage."""

    def make(url: str | None = None, width: int = 1280, transport: str | None = None, is_filled: bool = True, **options) -> StudioPage:
        url = url or request.getfixturevalue("address")
        page = visit(width, **options)
        hear_strangers(page, url, complaints.append)
        return TonePage(page, url, transport) if transport else StudioPage(page, url, is_filled=is_filled)

    return make


@pytest.fixture
def creating_page(kept_pages, tone_address) -> StudioPage:
    """Create voice, over engines that sing tones, on a page that the tests of a file share: as whoever comes first finds it."""
    page = kept_pages.get("creating", tone_address, lambda page: _with_microphone(page, tone_address))
    page.page.set_viewport_size(WINDOW)
    page.begin_voice()
    expect(page.page.locator("#reading-text")).not_to_be_empty()
    return page


@pytest.fixture
def studio_page(open_page) -> StudioPage:
    return open_page(permissions=["microphone"])


@contextmanager
def _served(opening: AbstractContextManager[Studio]) -> Iterator[str]:
    with opening as studio, served_page(studio) as address:
        yield address


@contextmanager
def _uploading_to(folder: Path, opening: AbstractContextManager[T]) -> Iterator[T]:
    """folder: where Gradio puts what is sent to it; it looks where that is when a studio's page is made."""
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("GRADIO_TEMP_DIR", str(folder))
            opened = stack.enter_context(opening)
        yield opened


@contextmanager
def _embedded(speakers: Path) -> Iterator[str]:
    studio = Studio(Settings(speakers_dir=speakers, default_engine=Settings.model_fields["default_engine"].default, hosts=INSECURE_HOST))
    studio.load()
    with closing(studio), served_page(studio) as address:
        yield address


def _with_microphone(page: Page, address: str) -> StudioPage:
    page.context.grant_permissions(["microphone"])
    return StudioPage(page, address)


def _visitors(browser: Browser) -> Visitors:
    return SHARED.get("visitors", lambda: nullcontext(Visitors(browser)))
