"""Claims about evaluations in Chromium: one is made by keys, runs, is stopped, goes on, is read and heard, and has an address."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Route, expect

from studio.service import Studio
from studio.settings import Settings
from tests.browser.studios.seen_part import wrong_in_sight
from tests.browser.studios.served_page import served_page
from tests.stand_ins.fake_engine import INFO, FakeEngine

pytestmark = pytest.mark.browser

PART = "#evaluations"

OTHER = replace(INFO, id="other", title="Other")
INFOS = {info.id: info for info in (INFO, OTHER)}
TEXTS = "A text that is long enough to go over to another sound within it.\nمرحبا بالعالم، كيف حالك اليوم؟"
UNMEASURED = ("words", "likeness", "dnsmos", "distillmos", "prosody")  # by programs that take their time
LABEL = "studioPlayer.session.label"
ROUTE = "**/v1/studio/evaluations"


@pytest.fixture(scope="module")
def held() -> threading.Event:
    """The other engine speaks while it is set."""
    return threading.Event()


@pytest.fixture(scope="module")
def address(held, tmp_path_factory) -> Iterator[str]:
    def opened(name: str) -> FakeEngine:
        return FakeEngine(INFOS[name], seconds_per_character=0.05, before_chunk=lambda index: name == INFO.id or held.wait())

    settings = Settings(speakers_dir=tmp_path_factory.mktemp("evaluations"), default_engine=INFO.id, warm_uploads=False)
    studio = Studio(settings, infos=INFOS, open_engine=opened)
    try:
        with served_page(studio) as served:
            yield served
    finally:
        held.set()
        studio.close()


def still_running(route: Route) -> None:
    """What the studio answers, as if the run had not ended yet."""
    response = route.fetch()
    answer = response.json() if route.request.method == "GET" else {}
    route.fulfill(response=response, **({"json": answer | {"is_running": True, "state": "running"}} if answer else {}))


def plan_of_all(page) -> list[str]:
    """Fill the form in, and begin."""
    expect(page.locator(".plan-system")).not_to_have_count(0)
    while page.locator(".plan-system").count() < len(INFOS):
        page.locator(".plan-add .button").press("Enter")
    assert {select.input_value() for select in page.locator(".plan-system select").all()} == set(INFOS)
    page.locator(".plan-main input[type=search]").fill("tone")
    expect(page.locator(".plan-voice input")).to_be_checked()  # the one that Compare has
    page.locator(".plan-texts .switch button").nth(1).press("Enter")
    page.locator(".plan-texts textarea").fill(TEXTS)
    for family in UNMEASURED:
        page.locator(f'.plan-families input[value="{family}"]').set_checked(False)
    expect(page.locator('.plan-families input[value="versa"]')).to_be_disabled()
    expect(page.locator(".plan-sounds")).to_have_text("4 sounds")
    wrong = wrong_in_sight(page, PART, "new")
    page.locator(".plan-side .button.primary").press("Enter")
    return wrong


def list_and_delete(page) -> list[str]:
    """From the list to the evaluation and back to an empty list, and to Compare."""
    page.locator(".evaluations-one .page-title .square").first.press("Enter")
    expect(page.locator(".evaluation-row")).to_have_count(1)
    assert page.url.endswith("#compare/evaluations")
    wrong = wrong_in_sight(page, PART, "list")
    page.go_back()
    expect(page.locator(".evaluation-sound")).to_have_count(4)
    page.locator(".evaluation-acts .square").press("Enter")
    page.locator('[role=menuitem][data-act="delete"]').press("Enter")
    page.locator(".question .button.danger").press("Enter")
    expect(page.locator(".evaluations-empty")).to_be_visible()
    page.locator(".evaluations-list .page-title .square").press("Enter")
    expect(page.locator(".lane")).to_have_count(2)
    return wrong


def test_an_evaluation_is_made_run_stopped_read_heard_and_found_again(address, held, open_page):
    visit = open_page(address)
    visit.open_tab("Compare")
    page, press = visit.page, visit.page.keyboard.press
    expect(page.locator(".lane")).to_have_count(2)
    page.locator("#compare-evaluate").press("Enter")
    expect(page.locator(".evaluations-empty")).to_be_visible()
    page.evaluate(AXE_SCRIPT)
    wrong = wrong_in_sight(page, PART, "empty")
    page.locator(".evaluations-list .button.primary").press("Enter")

    wrong += plan_of_all(page)

    expect(page.locator(".evaluation-phase[data-state=now] .num")).to_have_text("2 of 4")  # the other one is held
    expect(page.locator(".evaluation-acts .button", has_text="Stop")).to_be_visible()
    here = page.url
    assert "#compare/evaluations/" in here and "new" not in here
    page.reload()
    expect(page.locator(".evaluation-phase[data-state=now] .num")).to_have_text("2 of 4")
    page.evaluate(AXE_SCRIPT)
    wrong += wrong_in_sight(page, PART, "running")
    stop = page.locator(".evaluation-acts .button", has_text="Stop")
    page.route(f"**/evaluations/{here.rpartition('/')[2]}", still_running)
    with page.expect_response(lambda response: response.request.method == "DELETE"):
        stop.press("Enter")
    expect(stop).to_be_focused()  # it is heard, and the run takes a moment to end
    held.set()
    page.unroute_all(behavior="wait")
    go_on = page.locator(".evaluation-acts .button", has_text="Go on")
    expect(go_on).to_be_focused()  # once it has stopped
    go_on.press("Enter")
    expect(page.locator(".evaluations-one .chip").first).to_have_text("Done")

    expect(page.locator(".claim").first).not_to_be_empty()
    expect(page.locator(".evaluation-sound")).to_have_count(4)
    expect(page.locator(".figures-table").first).to_contain_text("Other")
    wrong += wrong_in_sight(page, PART, "done")
    players = page.locator(".evaluation-sound", has_text="A text that").first.locator(".play")
    players.first.click()
    page.wait_for_function("studioPlayer.heardSeconds > 0.5")
    first = page.evaluate(LABEL)
    players.nth(1).click()  # goes on where the other one was
    assert page.wait_for_function(f"first => {LABEL} !== first && studioPlayer.heardSeconds", arg=first).json_value() > 0.4
    assert page.evaluate("studioPlayer.state") == "playing"
    press("Escape")

    wrong += list_and_delete(page)
    assert not wrong


def test_who_may_not_begin_one_sees_why(address, open_page):
    page = open_page(address).page
    why = {"message": "Only the owner begins evaluations.", "hint": "They keep engines busy.", "reason_code": "none"}
    told = {"evaluations": [], "may_begin": False, "why_not": why, "families": [], "languages": ["en"], "limits": {}}
    page.route(ROUTE, lambda route: route.fulfill(body=json.dumps(told), content_type="application/json"))
    page.evaluate("location.hash = '#compare/evaluations'")
    expect(page.locator(".evaluations-why")).to_have_text("Only the owner begins evaluations. They keep engines busy.")
    expect(page.locator(".evaluations-list .button.primary")).to_be_disabled()
