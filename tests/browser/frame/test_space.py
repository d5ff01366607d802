"""A Space without a GPU, shown below a proxy's path, as a visitor meets it."""

import zipfile

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DEMO, TONES
from tests.browser.driving.complaints import hear_errors
from tests.browser.driving.studio_page import StudioPage
from tests.browser.studios.prefix_proxy import prefix_proxy
from tests.browser.studios.tone_page import enroll_tone, heard_hz
from tests.stand_ins import patient_http
from tests.stand_ins.server_process import start_server

pytestmark = pytest.mark.browser

PREFIX = "/spaces/someone"


@pytest.fixture(scope="module")
def space_address(chromium_path, tmp_path_factory):
    environment = {"SYSTEM": "spaces", "SPACE_ID": "someone/voices", "STUDIO_ROOT_PATH": PREFIX}
    folder = tmp_path_factory.mktemp("space")
    with (
        start_server(folder, headless=False, environment=environment, program=TONES) as server,
        prefix_proxy(server.url, PREFIX) as address,
    ):
        yield f"{address}/"


@pytest.fixture
def space_page(kept_pages, space_address) -> StudioPage:
    """The page of one visitor of the Space, which these tests share."""
    return kept_pages.get("space", space_address, lambda page: StudioPage(page, space_address))


def enroll_ana(page: StudioPage, address: str) -> None:
    """As the visitor of that page: a Space keeps its visitors apart."""
    cookies = {cookie["name"]: cookie["value"] for cookie in page.page.context.cookies()}
    with patient_http.Client(cookies=cookies) as client:
        enroll_tone(address.rstrip("/"), "Ana", 300, client)
    page.page.wait_for_function("studio.choice.known.voices.some(({ name }) => name === 'Ana')")  # not chosen: something else is


def test_a_space_below_a_path_speaks_through_gradio_and_warns_of_its_storage(space_page, space_address):
    page = space_page
    assert page.page.evaluate("studio.transport") == "gradio"
    expect(page.page.locator("#storage")).to_be_hidden()  # it is no matter of speaking
    for tab, note in (("Create voice", "#create-storage"), ("Voices", "#storage")):
        page.open_tab(tab)
        expect(page.page.locator(note)).to_be_visible()
        expect(page.page.locator(note)).to_contain_text("Voices on this Space vanish when it restarts. Export the voices you want to keep")
    enroll_ana(page, space_address)
    page.open_tab("Speak")
    page.page.click("#voice")
    page.page.get_by_role("option", name="Ana").click()
    page.page.wait_for_function("studio.choice.known.voice === 'Ana'")
    assert page.speak("Hello.")["voice"] == "Ana"
    samples = page.page.evaluate("[...studioPlayer.session.pieces.flatMap((piece) => [...piece])]")
    assert heard_hz(samples) == pytest.approx(300, abs=3)
    page.press_more("cold")  # the API's routes are there as well
    page.page.wait_for_function("studioPlayer.state === 'ended' && studio.runs.list.length === 2")
    assert page.newest_run()["cache"] == "miss"
    page.open_tab("Cache & models")
    expect(page.page.locator(".engines-whose")).to_contain_text("Only the owner of this studio")
    expect(page.page.locator(".engine-verb:visible")).to_have_count(0)


def test_below_a_path_a_voice_is_created_exported_and_heard_again(space_page, space_address, tmp_path):
    page = space_page
    requests = []
    page.page.on("request", lambda request: requests.append(request.url))
    page.open_tab("Create voice")
    page.page.set_input_files("#clip-file", DEMO)
    page.wait_for_report()
    page.fill_draft("Below")
    assert "Below is ready." in page.create()
    page.page.click("#speak-now")
    page.speak("A word.")
    page.open_tab("Voices")
    page.page.get_by_role("button", name="Play the recording of Below").click()  # or the player would have the word still
    page.page.wait_for_function("studioPlayer.state === 'playing' && !studioPlayer.session.facts")
    page.open_tab("History")
    with page.page.expect_response(lambda answer: "studio/history/" in answer.url) as heard:
        page.page.locator("#history-list").get_by_role("button", name="Play").first.click()
    assert heard.value.ok
    page.page.wait_for_function("studioPlayer.state === 'ended' && !studioPlayer.session.facts")
    page.open_tab("Voices")
    page.page.get_by_role("button", name="Actions for Below", exact=True).click()
    page.page.get_by_role("menuitem", name="Export").click()
    with page.page.expect_download() as downloaded:
        page.page.get_by_role("button", name="Download", exact=True).click()
    downloaded.value.save_as(tmp_path / "below.zip")
    assert zipfile.is_zipfile(tmp_path / "below.zip")
    sent = [url for url in requests if url.startswith("http")]
    assert sent and all(url.startswith(space_address) for url in sent)


def test_the_tab_api_says_the_address_below_the_path_and_its_documentation_runs(space_page, space_address, complaints):
    page = space_page
    page.open_tab("API")
    expect(page.page.locator("#api-base")).to_have_text(f"{space_address}v1")
    page.page.context.once("page", lambda opened: hear_errors(opened, complaints.append))
    with page.page.context.expect_page() as opened:
        page.page.click("#api-docs")
    docs = opened.value
    expect(docs.get_by_text("Speak text in a voice").first).to_be_visible()
    docs.locator(".opblock-get").first.click()
    expect(docs.get_by_role("button", name="Try it out").first).to_be_visible()
    docs.close()
