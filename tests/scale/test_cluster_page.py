"""The page behind two replicas, in a real Chromium: a browser's cookie keeps it at one, and voices are there for all."""

import pytest
from playwright.sync_api import expect, sync_playwright

from studio.measure.page.chromium import FLAGS, find_chromium
from studio.scale.private_cluster import ServedApplication, private_cluster
from tests.browser.conftest import DEMO
from tests.browser.driving.complaints import hear_errors
from tests.browser.driving.studio_page import StudioPage

pytestmark = [pytest.mark.scale, pytest.mark.browser]

N_VISITORS = 4  # of which one at least is at the other replica, in seven of eight runs


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    environment = {"SPEAKER_SAMPLES_DIR": str(tmp_path_factory.mktemp("speakers")), "STUDIO_ENGINES": "espeak", "OMP_NUM_THREADS": "1"}
    with private_cluster([ServedApplication("studio.scale.app:whole", {"replicas": "2"})], port=0, environment=environment) as cluster:
        yield cluster.url


@pytest.fixture(scope="module")
def chromium():
    path = find_chromium() or pytest.skip("there is no Chromium on PATH; `make browser` installs one")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


def test_visitors_create_speak_and_look_back_whichever_replica_has_them(url, chromium):
    for number in range(N_VISITORS):
        context = chromium.new_context()
        page = context.new_page()
        complaints: list[str] = []
        hear_errors(page, complaints.append)
        visit = StudioPage(page, url)
        assert "studio_affinity" in {cookie["name"] for cookie in context.cookies()}
        visit.open_tab("Create voice")
        page.set_input_files("#clip-file", DEMO)
        expect(page.locator("#clip-about")).to_contain_text("demo.flac")
        visit.fill_draft(f"Rosa {number}")
        assert f"Rosa {number} is ready." in visit.create()
        visit.open_tab("Speak")
        expect(page.locator("#voice b")).to_have_text(f"Rosa {number}")
        assert visit.speak(f"Visitor {number} is speaking now.")["voice"] == f"Rosa {number}"
        visit.open_tab("History")
        expect(page.get_by_role("tabpanel", name="History", exact=True)).to_contain_text(f"Visitor {number} is speaking now.")
        visit.open_tab("Voices")
        for earlier in range(number + 1):
            expect(page.get_by_role("button", name=f"Actions for Rosa {earlier}", exact=True)).to_be_visible()
        assert not complaints
        context.close()
