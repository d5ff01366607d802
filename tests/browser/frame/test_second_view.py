"""A page that was seen before is shown from what the browser kept, also behind a key and below a proxy's path."""

import re

import pytest

from studio.ui.gradio.web import WebFiles
from tests.browser.conftest import KEY
from tests.browser.driving.studio_page import StudioPage
from tests.browser.studios.prefix_proxy import prefix_proxy
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


def test_the_same_below_a_path(open_page, tmp_path):
    with served_tones(tmp_path, root_path=PREFIX) as tones, prefix_proxy(tones.address, PREFIX) as url:
        visit = open_page(f"{url}/", is_new=True)
        see_twice(visit, f"{url}/")
        visit.page.close()


def test_no_name_that_scripts_share_hides_one_of_the_browsers(visit):
    """They are linked into one, in which whoever forgot to import a name would get another module's."""
    declared = [re.search(r"^let (.*);$", script.decode(), re.MULTILINE)[1] for script in WebFiles.read().scripts_of("en").values()]
    names = ", ".join(declared).split(", ")
    assert len(declared) == 4 and len(names) == len({*names}) > 200
    assert visit().evaluate("names => names.filter((name) => name in window)", names) == []
