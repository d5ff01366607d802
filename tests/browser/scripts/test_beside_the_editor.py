"""Claims about what stands beside the editor of a script: takes by keys, a member's voice, an exported file; and about lit words."""

import io
import json

import pytest
import soundfile
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Route, expect

from tests.api.door import eventually
from tests.browser.studios.tone_page import TonePage, enroll_tone
from tests.stand_ins import patient_http

pytestmark = pytest.mark.browser

TEXT = "ANNA: Good day, Ben.\n\nBEN: שלום, good day to you.\n"
N_LINES = 2
OPTIONS = {"resultTypes": ["violations"], "preload": False}
WORDS = "**/v1/studio/**/words"  # the tone engine marks none
LIT = "[...(CSS.highlights.get('spoken-word') ?? [])].map(range => range.toString()).join()"
AT_REST = "studioPlayer.stop(); studioPlayer.session && (studioPlayer.session.key = null)"


def said_script(address: str) -> dict:
    """{id, lines}: two lines of two voices that are said, the first one twice."""
    for name, hz in (("Ana", 300), ("Bea", 400)):
        enroll_tone(address, name, hz)
    scripts = f"{address}/v1/studio/scripts"
    made = patient_http.post(scripts, json={"text": TEXT, "filename": "talk.txt", "title": "A talk"}).json()
    one = f"{scripts}/{made['id']}"
    cast = [{"name": name, "voice": voice, "model": "tone"} for name, voice in (("ANNA", "Ana"), ("BEN", "Ana"))]
    patient_http.post(f"{one}/edits", json={"edits": [{"op": "cast", "cast": cast}]})
    patient_http.post(f"{one}/say", json={})
    wait_until_said(one, [1, 1])
    first = patient_http.get(f"{one}/lines").json()["lines"][0]["id"]
    patient_http.post(f"{one}/lines/{first}/takes", json={"takes": 1})
    wait_until_said(one, [2, 1])
    return {"id": made["id"], "lines": patient_http.get(f"{one}/lines").json()["lines"]}


def wait_until_said(script: str, n_takes: list[int]) -> None:
    def takes() -> list[int]:
        return [len(line["takes"]) for line in patient_http.get(f"{script}/lines").json()["lines"]]

    assert eventually(lambda: takes() == n_takes, seconds=30), takes()


class Beside:
    """The tab with a script open, and what axe finds of it."""

    def __init__(self, tone_page: TonePage, script: dict):
        self.page = tone_page.page
        self.script = script
        self.page.evaluate("hash => { location.hash = hash }", f"#scripts/{script['id']}/{script['lines'][0]['id']}")
        expect(self.page.locator("#script-candidates li")).to_have_count(2)
        self.page.evaluate(AXE_SCRIPT)

    def wrong(self, part: str) -> list[str]:
        return [found["id"] for found in self.page.evaluate("([part, options]) => axe.run(part, options)", [part, OPTIONS])["violations"]]


@pytest.fixture
def beside(open_page, tone_address) -> Beside:
    return Beside(open_page(tone_address, transport="fetch", reduced_motion="reduce"), said_script(tone_address))


def test_takes_are_heard_and_chosen_and_a_voice_and_a_file_are_had_by_keys(beside):
    page, first = beside.page, beside.script["lines"][0]
    expect(page.get_by_role("button", name="Say again")).to_be_visible()
    expect(page.get_by_role("button", name="Mend words")).to_be_hidden()  # no engine here changes recordings
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("1")
    expect(page.locator("#script-candidates .takes-side")).to_have_attribute("data-heard", first["takes"][0]["id"])
    page.keyboard.press("2")
    expect(page.get_by_role("button", name="Hear take 2")).to_be_focused()
    expect(page.locator("#script-candidates .takes-side")).to_have_attribute("data-heard", first["takes"][1]["id"])
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Take 1 is chosen")).to_be_visible()
    assert not beside.wrong("#script-candidates, #script-side")

    page.get_by_role("button", name="BEN", exact=False).and_(page.locator(".cast-open")).press("Enter")
    dialog = page.locator("#script-member-dialog")
    dialog.locator("#script-member-voice").press("Enter")
    page.get_by_role("option", name="Bea").click()
    expect(dialog).to_contain_text("1 line will be said again.")
    assert not beside.wrong("#script-member-dialog")
    dialog.get_by_role("button", name="Save").press("Enter")
    expect(page.locator("#strip")).to_contain_text("BEN speaks otherwise now. 1 line will be said again.")

    page.keyboard.press("Control+e")
    export = page.locator("#script-export")
    export.get_by_label("Format").select_option("wav")
    expect(export).to_contain_text("1 line has changed since it was said.")
    expect(export.get_by_role("button", name="Export")).to_be_disabled()
    allowed = export.get_by_label("Take them as they were said")
    allowed.press(" ")
    expect(allowed).to_be_focused()
    expect(export.get_by_role("button", name="Export")).to_be_enabled()
    asked: list[Route] = []
    page.route("**/export/check", lambda route: asked.append(route))  # noqa: PLW0108 Playwright marks the function
    with page.expect_request("**/export/check"):
        export.get_by_label("Loudness").select_option(index=1)
    allowed.uncheck()  # while it is being asked
    allowed.check()
    expect(export.get_by_role("button", name="Export")).to_be_disabled()
    asked[0].continue_()
    expect(export.get_by_role("button", name="Export")).to_be_enabled()
    page.unroute("**/export/check")
    export.get_by_label("Loudness").select_option(index=0)
    assert not beside.wrong("#script-export")
    with page.expect_download() as saved:
        export.get_by_role("button", name="Export").press("Enter")
    expect(export.locator(".notice")).to_contain_text("The file is saved.")
    samples, _ = soundfile.read(io.BytesIO(saved.value.path().read_bytes()))
    assert len(samples) > 0


def test_the_word_that_is_heard_is_lit_a_press_plays_from_it_and_nothing_moves(open_page, tone_address):
    enroll_tone(tone_address, "Ana", 300)
    tone_page = open_page(tone_address, transport="fetch")
    page, text = tone_page.page, "😀 שלום, 你好 friend. " + "And on it goes. " * 4
    words = [
        {"start": n, "end": n + 1, "written": "", "said": "", "from": first, "to": to}
        for n, (first, to) in enumerate(((2, 6), (8, 10), (11, 17)))
    ]
    # Each is lit for longer than a busy browser takes for a frame.
    told = {"words": [word | {"start": word["start"] * 1.2, "end": word["end"] * 1.2} for word in words], "why": ""}
    page.route(WORDS, lambda route: route.fulfill(content_type="application/json", body=json.dumps(told)))
    tone_page.speak(text)
    page.click("#player-words")
    expect(page.locator("#player-text [data-word]")).to_have_text(["שלום", "你好", "friend"])
    height = page.locator("#player").bounding_box()["height"]
    page.locator("#player-text [data-word='1']").click()
    page.wait_for_function(f"document.querySelector('#player-text [data-lit]')?.textContent === '你好' && {LIT} === '你好'")
    page.locator("#player-text").press("ArrowRight")
    page.wait_for_function("document.querySelector('#player-text [data-lit]')?.textContent === 'friend'")
    page.wait_for_function(f"studioPlayer.state === 'ended' && !document.querySelector('#player-text [data-lit]') && !{LIT}")
    assert page.locator("#player").bounding_box()["height"] == height
    page.evaluate(AXE_SCRIPT)
    assert not [found["id"] for found in page.evaluate("options => axe.run('#player', options)", OPTIONS)["violations"]]
    page.unroute(WORDS)
    page.route(
        WORDS, lambda route: route.fulfill(content_type="application/json", body=json.dumps({"words": None, "why": "word_times_unknown"}))
    )
    tone_page.speak("Another text.")
    expect(page.locator("#player-text")).to_contain_text("When its words are heard is not known.")
    expect(page.locator("#player-text [data-word]")).to_have_count(0)
