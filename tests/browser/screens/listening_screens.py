"""The screens of Compare, listening tests and the listener's page, as take_screenshots walks through them."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.driving.studio_page import StudioPage
from tests.browser.studios.listened_studio import TEXTS

__all__ = ["listening_screens"]

WIDE = 768  # of a screen that has room for the faders of MUSHRA

Shoot = Callable[[str], None]


def listening_screens(page: StudioPage, shoot: Shoot) -> None:
    """page: of a `listened_studio`."""
    act = page.page
    page.open_tab("Compare")
    act.wait_for_function("studio.comparison?.lanes.length === 2")
    act.fill("#compare-text", TEXTS[0])
    act.click("#compare-speak")
    act.wait_for_function("studio.comparison.lanes.every(({ isHeard }) => isHeard)")
    shoot("compare")
    page.open_tab("Listening tests")
    expect(act.locator("#tests-rows .test-row")).to_have_count(6)
    shoot("tests")
    for name, shot in (("A draft", "test-builder"), ("Rosa, three paces", "test-result"), ("Rosa, two paces", "test-result-ab")):
        act.get_by_role("button", name=name, exact=True).click()
        expect(act.locator("#builder-checks li, #found-verdict *").filter(visible=True).first).to_be_visible()
        shoot(shot)
        act.locator("#builder-back, #found-back").filter(visible=True).click()
    url = act.url.partition("?")[0].rstrip("/")
    tests = act.evaluate("(url) => fetch(`${url}/v1/studio/tests`).then((answer) => answer.json())", url)["tests"]
    _listen(act, url, [test["listen"].rpartition("/")[2] for test in tests], shoot)


def _listen(act: Page, url: str, links: list[str], shoot: Shoot) -> None:
    shot: set[str] = set()
    for link in links:
        act.goto(f"{url}/listen/{link}")
        method = act.evaluate("(link) => fetch(`${link}/invitation`).then((answer) => answer.json())", link)
        if not method.get("is_open") or method["method"] in shot:
            continue
        shot.add(method["method"])
        if method["needs_wide"] and act.viewport_size["width"] < WIDE:
            shoot(f"test-{method['method']}")
            continue
        _come_in(act)
        expect(act.locator("#screen").get_by_role("button", disabled=False).first).to_be_visible()
        shoot(f"test-{method['method']}")


def _come_in(act: Page) -> None:
    act.get_by_role("button", name="I agree").click()
    act.get_by_role("button", name="Play").click()
    act.get_by_role("button", name="The volume is right").click()
    act.get_by_label("Headphones").check()
    act.get_by_label("Quiet").check()
    act.get_by_role("button", name="Begin").click()
    act.get_by_role("button", name="Go on").click()
