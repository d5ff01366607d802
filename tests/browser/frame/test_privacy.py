"""Whose clip it is: what a browser keeps, what a second visitor can reach, and what a visitor without a key can."""

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DEMO, KEY
from tests.browser.driving.studio_page import StudioPage
from tests.browser.studios.tone_page import enroll_tone
from tests.browser.studios.tone_server import served_tones
from tests.stand_ins import patient_http

pytestmark = pytest.mark.browser

# Everything that a page can leave in a browser beside cookies: names of databases and caches, and what the storages hold.
KEPT = """async () => ({
  databases: (await indexedDB.databases()).map(({ name }) => name),
  caches: await caches.keys(),
  directories: await Array.fromAsync((await navigator.storage.getDirectory()).keys()),
  storages: JSON.stringify([localStorage, sessionStorage]),
})"""


def take_demo(page: StudioPage) -> None:
    page.open_tab("Create voice")
    page.page.set_input_files("#clip-file", DEMO)
    page.wait_for_report()


def test_a_browser_keeps_no_sound(creating_page):
    page = creating_page
    take_demo(page)
    page.fill_draft("Kept nowhere")
    page.create()
    page.open_tab("Speak")
    page.speak("A word.")
    kept = page.page.evaluate(KEPT)
    assert (kept["databases"], kept["caches"], kept["directories"]) == ([], [], [])
    assert len(kept["storages"]) < 2000 and "base64" not in kept["storages"]
    assert not [cookie for cookie in page.page.context.cookies() if cookie["name"] != "studio_session"]


def test_a_clip_that_is_no_voice_yet_is_reached_by_its_own_page_alone(creating_page, open_page, tone_address):
    mine, other = creating_page, open_page(tone_address)
    take_demo(mine)
    other.open_tab("Create voice")
    other.page.wait_for_function("studio.creating")
    secret = mine.page.evaluate("studio.creating._draft.draft")
    assert len(secret) >= 32
    assert secret not in other.page.content() + patient_http.get(f"{tone_address}/config").text
    for guess in ("", "1", secret[:-1], secret.lower()):
        answer = other.page.evaluate("draft => studio.creating._call('region_sound', { draft, start: 0, end: 1000 })", guess)
        assert answer["problem"]["code"] in ("draft_gone", "clip_absent")
    assert patient_http.get(f"{tone_address}/gradio_api/file={DEMO}").status_code == httpx.codes.NOT_FOUND
    assert patient_http.get(f"{tone_address}/studio/history/{secret}").status_code == httpx.codes.NOT_FOUND


def test_without_a_key_no_voice_can_be_listed_heard_or_taken_away(browser, locked_address):
    with patient_http.Client(base_url=locked_address, headers={"Authorization": f"Bearer {KEY}"}) as keyed:
        enroll_tone(locked_address, "Ana", 300, client=keyed)
        served = ("/v1/audio/voices", "/v1/audio/voices/Ana/audio", "/studio/bundles/Ana", "/config", "/gradio_api/info")
        assert {keyed.get(path).status_code for path in served} == {200}
    stranger = browser.new_context().new_page()
    stranger.goto(locked_address)
    expect(stranger.get_by_label("Key")).to_be_visible()
    expect(stranger.get_by_text("This studio asks for a key. Whoever runs it can give you one.")).to_be_visible()
    for path in (*served, "/studio/history/x"):
        assert stranger.context.request.get(f"{locked_address}{path}").status == httpx.codes.UNAUTHORIZED, path  # no script of the form may
    stranger.context.close()


def test_two_visitors_of_one_studio_see_nothing_of_each_other(open_page, tmp_path, chromium_path):
    with served_tones(tmp_path, workspaces="private") as tones:
        ann, bo = open_page(tones.address), open_page(tones.address)
        [cookie] = ann.page.context.cookies()
        assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == ("studio_visitor", True, "Lax")
        with patient_http.Client(headers={"Cookie": f"{cookie['name']}={cookie['value']}"}) as client:
            enroll_tone(tones.address, "Philippa", 300, client=client)
        ann.page.reload()
        expect(ann.page.locator("#voice b")).to_have_text("Philippa")
        ann.speak("A word of hers.")
        empty = {
            "Voices": ("#voices-cards", "#voices-empty", "Hear a cloned voice in one press"),
            "Cache & models": ("#cache-matrix", "#cache-section", "No voice yet. What the engines learn"),
            "History": ("#history", "#history-empty", "Nothing spoken yet"),
        }
        for tab, (full, place, words) in empty.items():
            ann.open_tab(tab)
            expect(ann.page.locator(full)).to_contain_text("Philippa")
            bo.open_tab(tab)
            expect(bo.page.locator(place)).to_contain_text(words)
        assert "Philippa" not in bo.page.content() and "word of hers" not in bo.page.content()
        assert bo.page.evaluate("fetch('v1/audio/voices').then((answer) => answer.json())")["uploaded_voices"] == []
        for page in (ann, bo):
            page.page.close()
