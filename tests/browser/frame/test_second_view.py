"""A page that was seen before is shown from what the browser kept, also behind a key and below a proxy's path, where it speaks as well."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from studio.ui.gradio.web import WebFiles
from tests.browser.conftest import KEY
from tests.browser.driving.studio_page import StudioPage
from tests.browser.studios.prefix_proxy import prefix_proxy
from tests.browser.studios.tone_page import enroll_tone
from tests.browser.studios.tone_server import served_tones

pytestmark = pytest.mark.browser

PREFIX = "/somewhere"
MOST_HEADER_BYTES = 500  # of a 304
# What came over the network for the page and its scripts, in bytes with headers, by the last part of its address.
TRANSFERRED = """() => Object.fromEntries(
  [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter(({ name, initiatorType }) => initiatorType === "navigation" || name.endsWith(".js") && !name.includes("/static/"))
    .map(({ name, transferSize, initiatorType }) => [initiatorType === "navigation" ? "" : name.split("/").at(-1), transferSize]))"""

# Gradio fetches the scripts of some components once the page stands, and nothing says when the last is there.
ALL_ARE_THERE = """() => performance.now() - 500 > Math.max(0, ...performance.getEntriesByType("resource")
  .filter(({ name }) => name.endsWith(".js")).map(({ responseEnd }) => responseEnd))"""


def transferred(visit: StudioPage) -> dict[str, int]:
    visit.page.wait_for_function(ALL_ARE_THERE)
    return visit.page.evaluate(TRANSFERRED)


def see_twice(visit: StudioPage, url: str) -> None:
    first = transferred(visit)
    second = transferred(StudioPage(visit.page, url))
    assert first.pop("") > 10_000 > MOST_HEADER_BYTES >= second.pop("")
    assert len(first) > 20 and set(first) == set(second)
    assert sum(first.values()) > 100_000 and sum(second.values()) == 0


def test_the_second_view_asks_for_no_script_and_gets_no_page(open_page, tone_address):
    see_twice(open_page(tone_address, is_new=True), tone_address)


def test_the_same_behind_a_key(open_page, locked_address, complaints):
    visit = open_page(locked_address, is_filled=False, is_new=True)
    visit.page.goto(locked_address)
    visit.page.get_by_label("Key").fill(KEY)
    visit.page.get_by_role("button", name="Sign in").click()
    visit.page.wait_for_function("window.studio?.speaking && studio.choice.known.engine")
    see_twice(visit, locked_address)
    complaints[:] = [said for said in complaints if "401" not in said]  # of the form, for whoever is not signed in yet


@pytest.fixture(scope="module")
def below_a_path(chromium_path, tmp_path_factory) -> Iterator[str]:
    """Of a studio that its own server shows below a path."""
    with served_tones(tmp_path_factory.mktemp("below"), root_path=PREFIX) as tones, prefix_proxy(tones.address, PREFIX) as url:
        enroll_tone(url, "Ana", 300)
        yield f"{url}/"


@pytest.fixture
def page_below(kept_pages, below_a_path) -> StudioPage:
    """The page that these tests share, of a browser that has not seen the studio: the proxy's port is new."""
    return kept_pages.get("below", below_a_path, lambda page: StudioPage(page, below_a_path))


def test_the_same_below_a_path(page_below, below_a_path):
    see_twice(page_below, below_a_path)


def test_a_studio_below_a_path_speaks_by_fetch(page_below):
    page = page_below
    assert page.page.evaluate("studio.transport") == "fetch"
    page.open_tab("Voices")
    expect(page.page.locator("#voices")).to_be_visible()
    expect(page.page.locator("#storage")).to_have_count(0)  # it is no Space, whose voices would vanish
    page.open_tab("Speak")
    page.page.wait_for_function("studio.choice.known.voice === 'Ana'")
    assert page.speak("Hello.")["voice"] == "Ana"


def test_no_name_that_scripts_share_hides_one_of_the_browsers(visit):
    """They are linked into one, in which whoever forgot to import a name would get another module's."""
    declared = [re.search(r"^let (.*);$", script.decode(), re.MULTILINE)[1] for script in WebFiles.read().scripts_of("en").values()]
    names = ", ".join(declared).split(", ")
    assert len(declared) == 4 and len(names) == len({*names}) > 200
    assert visit().evaluate("names => names.filter((name) => name in window)", names) == []
