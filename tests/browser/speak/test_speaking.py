"""Claims about the tabs Speak and API, over tone engines: timing, comparison, segments, seed, and what can be copied."""

import json
import shutil
import subprocess
import sys

import httpx
import numpy as np
import pytest
import soundfile
from playwright.sync_api import Page, expect

from tests.browser.conftest import DEMO
from tests.browser.studios.tone_page import TonePage, enroll_tone, wait_for_silence
from tests.stand_ins import patient_http

pytestmark = pytest.mark.browser

CLIPBOARD = ("clipboard-read", "clipboard-write")
WHISTLE_HZ = 1500
MOST_SILENT_SECONDS = 0.005  # of a sine that begins at zero, and a block of the audio thread
BUFFER_MILLISECONDS = 50  # by which the audio thread may be ahead of the clock
# Between the player and the loudspeaker: when, at the audio clock, the first audible sample went through, and when the page was told.
TAP = """() => {
  window.tapped = { isOpen: false, heardAt: null, toldAt: null };
  const code = `registerProcessor("tapped", class extends AudioWorkletProcessor {
    process([[input]], [[output]]) {
      if (!input) return true;
      output.set(input);
      const index = this.heard ? -1 : input.findIndex((sample) => Math.abs(sample) > 0.003);
      if (index >= 0) this.port.postMessage(currentTime + index / sampleRate);
      this.heard ||= index >= 0;
      return true;
    }
  })`;
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (to, ...more) {
    if (!(to instanceof AudioDestinationNode)) return connect.call(this, to, ...more);
    to.context.audioWorklet.addModule(URL.createObjectURL(new Blob([code], { type: "text/javascript" }))).then(() => {
      const tap = new AudioWorkletNode(to.context, "tapped");
      tap.port.onmessage = ({ data }) => Object.assign(tapped, { heardAt: data, toldAt: performance.now() });
      connect.call(this, tap);
      connect.call(tap, to);
      tapped.isOpen = true;
    });
    return to;
  };
  window.untap = () => {
    AudioNode.prototype.connect = connect;
    studioPlayer.unlock(8000);
  };
}"""
# An answer to Speak comes once the page knows by itself that the engine is not there.
KNOWN_FIRST = """() => {
  const { fetch } = window;
  window.knownLater = () => { window.fetch = fetch; };
  window.fetch = async (address, ...more) => {
    const answer = await fetch(address, ...more);
    while (/audio.speech/.test(address.url ?? address) && studio.choice.engineKnown.state !== "absent") {
      studio.choice.look();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return answer;
  };
}"""
NASTY = "It's \"quoted\", costs $5 & `ls`; back\\slash, 100 %, é 你好 🎙️\nand a second line with 'more' quotes."


@pytest.fixture
def tone_page(kept_pages, tones) -> TonePage:
    """The page that these tests share, as good as new: on Tone, in Ana's voice. Where there is no Ana, she is made."""
    enroll_tone(tones.address, "Ana", 300)
    page = kept_pages.get("speak", tones.address, lambda page: opened(page, tones.address))
    page.settle()
    wait_for_silence(tones.address)
    return page


def opened(page: Page, address: str) -> TonePage:
    """The page knows each voice that the tests choose."""
    enroll_tone(address, "Whistle", WHISTLE_HZ)
    page.context.grant_permissions(list(CLIPBOARD))
    return TonePage(page, address)


def timing(page: TonePage, line: int = 0) -> dict:
    """What "Copy as JSON" of a result line copies. line: 0 for the newest run."""
    card = page.page.locator(".result-lines > .ttfp").nth(line)
    if card.locator(".stages").count() == 0:
        card.get_by_role("button", name="Show where the time goes").click()
    card.locator(".stages").evaluate("stages => { stages.open = true; }")
    return json.loads(page.clipboard_after(f".result-lines > .ttfp:nth-child({line + 1}) .stages .link-button"))


def test_cold_and_warm_stand_side_by_side_with_what_each_stage_took(tone_page):
    """The first of these tests: before it nothing was spoken here."""
    page = tone_page.page
    expect(page.locator(".result-lines")).to_be_empty()  # nothing is drawn before the first take
    tone_page.set_pace(ttfp=0.3)
    page.get_by_label("Text", exact=True).fill("Again.")
    tone_page.press_more("compare")
    lines = page.locator(".result-lines > .ttfp")
    expect(lines).to_have_count(2)
    tone_page.wait_for_state("ended")
    warm, cold = timing(tone_page, 0), timing(tone_page, 1)
    assert (cold["start"], cold["cache"], warm["start"], warm["cache"]) == ("cold", "miss", "warm", "hit")
    named = {stage["name"]: stage["milliseconds"] for stage in cold["stages"]}
    assert named["prompt"] >= 150  # what the tone engine takes to learn
    for run in (cold, warm):
        stages = {stage["name"]: stage["milliseconds"] for stage in run["stages"]}
        assert 300 <= stages["first_chunk"] < run["ttfpMilliseconds"] + 1
        assert sum(stages.values()) == pytest.approx(run["clickToSoundMilliseconds"], abs=1)
    expect(lines.nth(1)).to_contain_text("Tone learned Ana for this take.")
    expect(lines.nth(0)).to_contain_text("Ana was in memory: nothing to learn.")
    parts = lines.nth(0).locator(".bar i")
    assert [part.get_attribute("data-part") for part in parts.all()] == ["asking", "voice", "made", "way"]
    assert min(part.bounding_box()["width"] for part in parts.all()) >= 3
    widths = page.eval_on_selector_all(".result-lines .bar", "bars => bars.map((bar) => Math.round(bar.getBoundingClientRect().width))")
    assert widths[0] == widths[1]  # one scale
    assert page.evaluate("studio.runs.list.map(({ start }) => start)") == ["warm", "cold"]


def test_the_click_to_sound_that_is_shown_is_what_leaves_the_player(tone_page, tones):
    """At the audio clock to the sample; at the page's clock not before the engine began, and not after it was told of."""
    page = tone_page.page
    page.evaluate("studioPlayer.unlock(8000)")  # where it sounded before: what is heard next goes through a new path to the device
    page.evaluate(TAP)
    tone_page.set_pace(ttfp=0.2, hold_at=0)
    page.get_by_label("Text", exact=True).fill("Now.")
    page.evaluate("tapped.pressed = performance.now(); document.querySelector('#speak-button').click()")
    page.wait_for_function("tapped.isOpen")
    tones.let_go.set()
    tone_page.wait_for_state("ended")
    page.wait_for_function("tapped.toldAt")
    seen = page.evaluate("({ ...tapped, from: studioPlayer.session.firstTime, shown: studioPlayer.session.firstSoundMilliseconds })")
    page.evaluate("untap()")
    assert seen["heardAt"] == pytest.approx(seen["from"], abs=MOST_SILENT_SECONDS)
    assert 200 <= seen["shown"] <= seen["toldAt"] - seen["pressed"] + BUFFER_MILLISECONDS


def test_engines_say_their_state_and_one_that_is_not_there_what_gets_it(tone_page, tones, complaints):
    tones.studio.unload("broken")  # whoever has tried it before knows already what it lacks
    page, notice = tone_page.page, tone_page.page.locator("#speak-message .notice")
    tone_page.choose("Ana", "Broken")
    page.evaluate(KNOWN_FIRST)
    page.click("#speak-button")  # of this engine it is known only once it was tried
    tone_page.expect_complaint("Broken is not on this computer yet.")
    tone_page.expect_complaint("make broken")
    page.get_by_role("button", name="Use Tone").click()
    expect(page.locator("#engine")).to_contain_text("Tone")
    expect(notice).to_have_attribute("data-kind", "")
    page.click("#engine")
    page.set_viewport_size({"width": 1240, "height": 780})  # the list stays at its button, and nothing fails
    rows = page.get_by_role("option")
    expect(rows.filter(has_text="Tone")).to_contain_text("24 kHz · 2 languages")
    expect(rows.filter(has_text="Tone")).to_contain_text("Ready")
    expect(rows.filter(has_text="Broken")).to_have_count(0)
    expect(page.get_by_role("button", name="1 more engine")).to_be_visible()
    page.get_by_label("Find an engine").fill("Broken")
    expect(rows.filter(has_text="Broken")).to_contain_text("Not installed")
    rows.filter(has_text="Broken").click()
    tone_page.expect_complaint("Broken is not on this computer yet.")  # at once, before Speak is pressed
    page.click("#speak-button")
    tone_page.wait_for_state("failed")
    tone_page.expect_complaint("Broken is not on this computer yet.")
    page.evaluate("knownLater()")
    tone_page.choose(engine="Tone")
    complaints[:] = [said for said in complaints if "Failed to load resource" not in said]  # the browser's own words about the refusal


def test_a_voice_that_went_elsewhere_leaves_every_list_and_nobody_speaks_in_its_place(tone_page, tone_address):
    page, text = tone_page.page, tone_page.page.get_by_label("Text", exact=True)
    for name in ("Going", "Gone"):
        enroll_tone(tone_address, name, 300)
    tone_page.choose("Going")
    tone_page.speak("Hello.")
    page.evaluate("Object.assign(studioPlayer.session, { underruns: 1, gapSeconds: 0.1 })")  # as on a machine that is slow
    page.click("#voice")
    find = page.get_by_label("Find a voice")
    expect(page.get_by_role("option", name="Gone")).to_be_visible()
    patient_http.delete(f"{tone_address}/v1/audio/voices/Gone")
    expect(page.get_by_role("option", name="Gone")).to_have_count(0)  # an open list follows
    expect(find).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#voice")).to_be_focused()
    text.focus()
    patient_http.delete(f"{tone_address}/v1/audio/voices/Going")
    expect(page.locator("#voice")).to_contain_text("Going is gone")
    expect(text).to_be_focused()
    page.click("#speak-button")
    tone_page.expect_complaint("Going is gone: it was deleted or has another name now. Choose a voice.")
    expect(page.locator(".result-lines .about")).to_have_text("1 gap, 100 ms last take, with Tone")  # the figures are of before
    run = tone_page.newest_run()
    assert (run["voice"], run["start"], run["sound"], run["seconds"]) == ("", "refused", None, None)
    again = TonePage(page, tone_address)
    expect(page.locator("#voice")).to_contain_text("Going is gone")  # a reload chooses none either
    again.choose("Ana")
    assert again.speak("Hello.")["voice"] == "Ana"


def test_pickers_are_used_by_keyboard_alone_and_esc_stops_nothing(tone_page):
    page = tone_page.page
    tone_page.choose("Ana", "Tone")
    tone_page.set_pace(hold_at=3)
    tone_page.start("This goes on.")
    page.focus("#language")
    page.keyboard.press("ArrowDown")
    find = page.get_by_role("combobox", name="Find a language")
    expect(find).to_be_focused()
    on = page.locator('.pick [role="option"].on')
    expect(on).to_have_text("Found in the text")
    page.keyboard.press("End")
    last = on.inner_text()
    page.keyboard.press("ArrowDown")
    expect(on).to_have_text("Found in the text")  # around
    assert last != "Found in the text" and find.get_attribute("aria-activedescendant") == on.get_attribute("id")
    page.keyboard.press("Escape")
    expect(page.locator(".pick")).to_have_count(0)
    expect(page.locator("#language")).to_be_focused()
    assert page.evaluate("studioPlayer.state") in ("waiting", "playing")
    page.keyboard.press("Enter")
    page.keyboard.type("german")
    page.keyboard.press("Enter")
    expect(page.locator("#language")).to_contain_text("German")
    assert page.evaluate("studio.choice.language") == "de"
    page.click("#engine")
    page.mouse.click(5, 500)  # beside it
    expect(page.locator(".pick")).to_have_count(0)
    page.keyboard.press("Escape")
    tone_page.wait_for_state("stopped")


def test_a_second_press_is_no_stop_and_the_keys_speak_only_here(tone_page):
    page, button = tone_page.page, tone_page.page.locator("#speak-button")
    tone_page.set_pace(hold_at=1)
    page.get_by_label("Text", exact=True).fill("A text.")
    width = button.bounding_box()["width"]
    button.dblclick()
    expect(button).to_have_text("Stop")
    assert button.bounding_box()["width"] == width
    assert page.evaluate("studioPlayer.state") in ("waiting", "playing")
    page.keyboard.press("Escape")
    expect(button).to_have_text("Speak")
    before = page.evaluate("studio.runs.newest?.id")
    tone_page.open_tab("API")
    page.keyboard.press("Control+Enter")
    tone_page.open_tab("Speak")
    assert page.evaluate("[studio.runs.newest?.id, studioPlayer.state]") == [before, "stopped"]
    page.focus("#text")
    page.keyboard.press("Control+Enter")
    expect(button).to_have_text("Stop")
    page.keyboard.press("Escape")


def test_another_variation_is_drawn_before_each_run_and_a_kept_one_stays(tone_page):
    tone_page.show_options()
    page, seed = tone_page.page, tone_page.page.locator("#option-seed")
    expect(page.locator("#options-toggle .dot")).to_be_hidden()
    seed.fill("7")
    expect(page.locator("#options-toggle .dot")).to_be_visible()
    tone_page.speak("One.")
    assert seed.input_value() == "7"
    page.get_by_role("button", name="Keep", exact=True).click()
    tone_page.speak("Two.")
    drawn = seed.input_value()
    tone_page.speak("Three.")
    assert len({"7", drawn, seed.input_value()}) == 3
    page.get_by_role("button", name="Another", exact=True).click()
    assert seed.input_value() != drawn
    page.get_by_role("button", name="Reset", exact=True).click()
    assert (seed.input_value(), page.evaluate("studio.options.read()")) == ("0", {})


def test_the_parts_follow_the_text(tone_page):
    page = tone_page.page
    text, count, parts = page.get_by_label("Text", exact=True), page.locator("#text-count"), page.locator("#segments-list")
    text.fill("Dr. Ana came home. Was it late?")
    expect(count).to_have_text("31 characters, about 2 s")
    tone_page.press_more("parts")
    expect(parts.locator("li")).to_have_count(2)
    text.fill("One. Two. Three.")
    expect(parts.locator("li")).to_have_count(3)
    expect(parts).to_contain_text("3 parts, about")
    text.fill("One [laugh]. Two 😀.")
    expect(parts.locator(".segments-told")).to_have_text("Left out: markup[laugh]Left out: pictures😀")
    assert parts.locator("li > span:first-child").all_inner_texts() == ["One.", "Two."]
    tone_page.speak()
    tone_page.expect_complaint("Left out, not said: [laugh], 😀.")
    text.fill("x" * 20_001)
    expect(count).to_have_text("20,001 of 20,000 characters")
    expect(count).to_have_attribute("data-over", "true")
    expect(parts).to_contain_text("20,000")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_button_and_result_stay_in_the_first_view_with_all_options_open(tone_page, width, height):
    """For each engine, one with thirteen options among them."""
    page = tone_page.page
    page.set_viewport_size({"width": width, "height": height})
    tone_page.speak("A word.")
    for engine in page.evaluate("studio.choice.known.engines.filter(({ state }) => state !== 'absent').map(({ title }) => title)"):
        tone_page.choose(engine=engine)
        tone_page.show_options()
        page.evaluate("scrollTo(0, 0)")
        dock = page.locator("#player").bounding_box()["y"]
        for part in ("#speak-button", ".ttfp-line b"):
            box = page.locator(part).bounding_box()
            assert box["y"] >= 0 and box["y"] + box["height"] <= dock, (engine, part)
        assert page.locator("#text").bounding_box()["height"] >= 132
    tone_page.expect_no_sideways_scroll()


def test_the_spectrogram_shows_the_pitch_and_the_waveform_comes_back(tone_page):
    page = tone_page.page
    tone_page.choose("Whistle", "Tone")
    tone_page.speak("A whistle.")
    tone_page.unfold_player()
    spectrogram, wave = [page.get_by_role("button", name=name, exact=True) for name in ("Spectrogram", "Wave")]
    spectrogram.click()
    expect(page.locator("#player-spectrogram")).to_be_visible()
    page.wait_for_function("!studio.spectrogram.behind")
    assert page.evaluate("studio.spectrogram.loudestHz") == pytest.approx(WHISTLE_HZ, abs=47)  # one row
    wave.click()
    expect(page.locator("#player-wave")).to_be_visible()
    assert [button.get_attribute("aria-pressed") for button in (spectrogram, wave)] == ["false", "true"]


def test_the_copied_curl_speaks_what_the_page_speaks_whatever_the_text_holds(tone_page, tmp_path):
    tone_page.choose("Ana", "Tone")
    tone_page.set_pace(level=0.5, seed=30)
    tone_page.page.get_by_label("Text", exact=True).fill(NASTY)
    command = tone_page.clipboard_after(more="curl")
    subprocess.run(["bash", "-euc", command], cwd=tmp_path, check=True, timeout=60)
    tone_page.page.click("#speak-button")
    tone_page.wait_for_all()
    samples, _ = soundfile.read(tmp_path / "speech.wav", dtype="int16")
    assert np.array_equal(samples, tone_page.samples())


def test_the_copied_python_speaks_what_the_page_speaks(tone_page, tmp_path):
    tone_page.choose("Ana", "Tone")
    tone_page.set_pace(level=0.5)
    tone_page.page.get_by_label("Text", exact=True).fill(NASTY)
    code = tone_page.clipboard_after(more="python")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=60)
    tone_page.page.click("#speak-button")
    tone_page.wait_for_all()
    samples, _ = soundfile.read(tmp_path / "speech.wav", dtype="int16")
    assert np.array_equal(samples, tone_page.samples())


def test_the_tab_api_says_the_address_and_the_chosen_voice(tone_page, tone_address, tmp_path):
    page = tone_page.page
    tone_page.choose("Ana", "Tone")
    tone_page.open_tab("API")
    expect(page.locator("#api-base")).to_have_text(f"{tone_address}/v1")
    expect(page.locator("#api-key")).to_contain_text("no keys")
    command = tone_page.clipboard_after('#api [data-copy="code"]')
    subprocess.run(["bash", "-euc", command], cwd=tmp_path, check=True, timeout=60)
    assert soundfile.info(tmp_path / "speech.wav").samplerate == 24_000
    shutil.copy(DEMO, tmp_path / "clip.wav")
    page.click("#api [data-task=create]")
    for language, run in (("curl", ["bash", "-euc"]), ("python", [sys.executable, "-c"])):
        page.click(f"#api [data-language={language}]")
        patient_http.delete(f"{tone_address}/v1/audio/voices/Ana")
        pasted = tone_page.clipboard_after('#api [data-copy="code"]')
        subprocess.run([*run, pasted], cwd=tmp_path, check=True, timeout=60, stdout=subprocess.DEVNULL)
        made = patient_http.get(f"{tone_address}/v1/audio/voices/Ana").json()
        assert "ref_text" not in made and made["name"] == "Ana"  # invented words would make a voice that can never speak
        asked = {"input": "Hello.", "voice": "Ana"}
        assert patient_http.post(f"{tone_address}/v1/audio/speech", json=asked, timeout=30).status_code == httpx.codes.OK
    docs = page.locator("#api-docs").evaluate("link => link.href")
    assert docs == f"{tone_address}/docs" and patient_http.get(docs).status_code == httpx.codes.OK


def test_every_tab_asks_no_other_host_and_complains_about_nothing(tone_page):
    """`kept_pages` fails the test for errors on the console and for requests to foreign hosts, as it does whoever opens the page."""
    page = tone_page
    for tab in page.page.get_by_role("tab").all():
        if tab.is_visible():
            tab.click()
            expect(tab).to_have_attribute("aria-selected", "true")
    page.expect_no_sideways_scroll()
