"""Claims about the tabs Speak and API, over tone engines: timing, comparison, segments, seed, and what can be copied."""

import json
import re
import shutil
import subprocess
import sys

import httpx
import numpy as np
import pytest
import soundfile
from playwright.sync_api import expect

from tests.browser.conftest import DEMO
from tests.browser.tone_page import TonePage, enroll_tone

pytestmark = pytest.mark.browser

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
}"""
NASTY = "It's \"quoted\", costs $5 & `ls`; back\\slash, 100 %, é 你好 🎙️\nand a second line with 'more' quotes."


@pytest.fixture
def tone_page(open_page, tone_address) -> TonePage:
    enroll_tone(tone_address, "Ana", 300)
    return open_page(tone_address, transport="fetch", permissions=["clipboard-read", "clipboard-write"])


def timing(page: TonePage, card: int = 0) -> dict:
    """What a timing card's "Copy as JSON" copies."""
    return json.loads(page.clipboard_after(f".timing-card:nth-child({card + 1}) .link-button"))


def test_cold_and_warm_stand_side_by_side_with_what_each_stage_took(tone_page):
    tone_page.choose("Ana", "Tone")
    tone_page.set_pace(ttfp=0.3)
    tone_page.page.get_by_label("Text", exact=True).fill("Again.")
    tone_page.page.click("#compare-button")
    expect(tone_page.page.locator(".timing-card")).to_have_count(2)
    tone_page.wait_for_state("ended")
    cold, warm = timing(tone_page, 0), timing(tone_page, 1)
    assert (cold["start"], cold["cache"], warm["start"], warm["cache"]) == ("cold", "miss", "warm", "hit")
    named = {stage["name"]: stage["milliseconds"] for stage in cold["stages"]}
    assert named["Speaker prompt: miss, extracted"] >= 150  # what the tone engine takes to learn
    for run in (cold, warm):
        stages = {stage["name"]: stage["milliseconds"] for stage in run["stages"]}
        assert 300 <= stages["First audio at the engine"] < run["ttfpMilliseconds"] + 1
        assert sum(stages.values()) == pytest.approx(run["clickToSoundMilliseconds"], abs=1)
    assert [row.split("\t")[2] for row in tone_page.page.locator("#runs tbody tr").all_inner_texts()] == ["warm", "cold"]


def test_the_click_to_sound_that_is_shown_is_what_leaves_the_player(tone_page, tones):
    """At the audio clock to the sample; at the page's clock not before the engine began, and not after it was told of."""
    page = tone_page.page
    page.evaluate(TAP)
    tone_page.set_pace(ttfp=0.2, hold_at=0)
    page.get_by_label("Text", exact=True).fill("Now.")
    page.evaluate("tapped.pressed = performance.now(); document.querySelector('#speak-button').click()")
    page.wait_for_function("tapped.isOpen")
    tones.let_go.set()
    tone_page.wait_for_state("ended")
    seen = page.evaluate("({ ...tapped, from: studioPlayer.session.firstTime, shown: studioPlayer.session.firstSoundMilliseconds })")
    assert seen["heardAt"] == pytest.approx(seen["from"], abs=MOST_SILENT_SECONDS)
    assert 200 <= seen["shown"] <= seen["toldAt"] - seen["pressed"] + BUFFER_MILLISECONDS


def test_engines_say_their_state_and_one_that_is_not_there_what_gets_it(tone_page, complaints):
    page = tone_page.page
    page.get_by_label("Engine", exact=True).click()
    labels = page.get_by_role("option").all_inner_texts()
    assert re.search(r"Tone \(ready\)", " ".join(labels))
    assert re.search(r"Octave \((idle|ready)\)", " ".join(labels))
    page.get_by_role("option", name="Broken").click()
    page.wait_for_function("studio.options.choice.title === 'Broken'")
    tone_page.choose("Ana")
    tone_page.page.click("#speak-button")
    tone_page.expect_complaint("make broken")
    expect(page.locator("#choice-facts")).to_contain_text("ask whoever runs this machine to run: make broken")
    expect(page.locator("#choice-facts")).not_to_contain_text("cold")
    expect(page.locator("#choice-facts")).to_contain_text("unavailable")
    tone_page.choose(engine="Tone")
    complaints[:] = [said for said in complaints if "Failed to load resource" not in said]  # the browser's own words about the refusal


def test_a_voice_that_went_elsewhere_leaves_every_list_and_nobody_speaks_in_its_place(tone_page, tone_address):
    page, voice, text = tone_page.page, tone_page.page.get_by_label("Voice", exact=True), tone_page.page.get_by_label("Text", exact=True)
    for name in ("Going", "Gone"):
        enroll_tone(tone_address, name, 300)
    tone_page.choose("Going", "Tone")
    tone_page.speak("Hello.")
    voice.click()
    with page.expect_response(lambda answer: "run/predict" in answer.url and '"seen"' in answer.text()):  # the news
        httpx.delete(f"{tone_address}/v1/audio/voices/Gone")
    expect(page.get_by_role("option", name="Gone")).to_be_visible()
    expect(voice).to_be_focused()
    page.keyboard.press("Escape")
    text.focus()
    page.wait_for_function("!studio.options.choice.voices.includes('Gone')")
    httpx.delete(f"{tone_address}/v1/audio/voices/Going")
    expect(page.locator("#choice-facts")).to_contain_text("“Going” is gone: it was deleted or has another name now. Choose a voice.")
    expect(voice).to_have_value("")
    expect(text).to_be_focused()
    page.click("#speak-button")
    tone_page.expect_complaint("“Going” is gone")
    expect(page.locator(".timing-card")).to_have_count(0)  # nor any figure of the run before
    expect(page.locator("#player-figures")).to_be_empty()
    run = tone_page.newest_run()
    assert (run["Voice"], run["Start"], run["Click to sound"], run["Audio"]) == ("–", "refused", "–", "–")
    again = TonePage(page, tone_address)
    expect(page.locator("#choice-facts")).to_contain_text("“Going” is gone")  # a reload chooses none either
    again.choose("Ana")
    assert again.speak("Hello.")["Voice"] == "Ana"


def test_an_open_seed_is_drawn_before_each_run_and_a_locked_one_stays(tone_page):
    page, seed = tone_page.page, tone_page.page.locator("#option-seed")
    seed.fill("7")
    tone_page.speak("One.")
    assert seed.input_value() == "7"
    page.get_by_role("button", name="Lock").click()
    tone_page.speak("Two.")
    drawn = seed.input_value()
    tone_page.speak("Three.")
    assert len({"7", drawn, seed.input_value()}) == 3
    page.get_by_role("button", name="Draw a new seed").click()
    assert seed.input_value() != drawn


def test_the_segments_follow_the_text(tone_page):
    page = tone_page.page
    page.get_by_label("Text", exact=True).fill("Dr. Ana came home. Was it late?")
    expect(page.locator("#text-count")).to_have_text("31 characters of 20,000")
    page.get_by_role("button", name="Preview segments").click()
    expect(page.locator("#segments-list li")).to_have_count(2)
    page.get_by_label("Text", exact=True).fill("One. Two. Three.")
    expect(page.locator("#segments-list li")).to_have_count(3)
    expect(page.locator("#segments-list")).to_contain_text("3 segments, about 1 s")
    page.get_by_label("Text", exact=True).fill("One [laugh]. Two 😀.")
    expect(page.locator("#segments-list")).to_contain_text("Left out, since Tone does not understand it: [laugh], 😀.")
    assert page.locator("#segments-list li > span:first-child").all_inner_texts() == ["One.", "Two."]
    tone_page.speak()
    expect(page.locator("#speak-message")).to_contain_text("Left out, since Tone does not understand it: [laugh], 😀.")
    page.get_by_label("Text", exact=True).fill("x" * 20_001)
    expect(page.locator("#segments-list")).to_contain_text("20,000 are the limit")
    expect(page.locator("#text-count")).to_have_attribute("data-over", "true")


def test_the_spectrogram_shows_the_pitch_and_the_waveform_comes_back(tone_page, tone_address):
    enroll_tone(tone_address, "Whistle", 1500)
    tone_page.page.reload()
    tone_page = TonePage(tone_page.page, tone_address)
    page = tone_page.page
    tone_page.choose("Whistle", "Tone")
    tone_page.speak("A whistle.")
    tone_page.unfold_player()
    spectrogram, wave = [page.get_by_role("button", name=name, exact=True) for name in ("Spectrogram", "Wave")]
    spectrogram.click()
    expect(page.locator("#player-spectrogram")).to_be_visible()
    page.wait_for_function("!studio.spectrogram.behind")
    assert page.evaluate("studio.spectrogram.loudestHz") == pytest.approx(1500, abs=47)  # one row
    wave.click()
    expect(page.locator("#player-wave")).to_be_visible()
    assert [button.get_attribute("aria-pressed") for button in (spectrogram, wave)] == ["false", "true"]


def test_the_copied_curl_speaks_what_the_page_speaks_whatever_the_text_holds(tone_page, tmp_path):
    tone_page.choose("Ana", "Tone")
    tone_page.set_pace(level=0.5, seed=30)
    tone_page.page.get_by_label("Text", exact=True).fill(NASTY)
    command = tone_page.clipboard_after("#copy-curl")
    subprocess.run(["bash", "-euc", command], cwd=tmp_path, check=True, timeout=30)
    tone_page.page.click("#speak-button")
    tone_page.wait_for_all()
    samples, _ = soundfile.read(tmp_path / "speech.wav", dtype="int16")
    assert np.array_equal(samples, tone_page.samples())


def test_the_copied_python_speaks_what_the_page_speaks(tone_page, tmp_path):
    tone_page.choose("Ana", "Tone")
    tone_page.set_pace(level=0.5)
    tone_page.page.get_by_label("Text", exact=True).fill(NASTY)
    code = tone_page.clipboard_after("#copy-python")
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
    expect(page.locator("#api-python")).to_contain_text('voice="Ana"')
    expect(page.locator("#api-key")).to_contain_text("no keys")
    command = tone_page.clipboard_after('#api [data-copy="curl"]')
    subprocess.run(["bash", "-euc", command], cwd=tmp_path, check=True, timeout=30)
    assert soundfile.info(tmp_path / "speech.wav").samplerate == 24_000
    shutil.copy(DEMO, tmp_path / "clip.wav")
    for kind, run in (("upload", ["bash", "-euc"]), ("upload-python", [sys.executable, "-c"])):
        httpx.delete(f"{tone_address}/v1/audio/voices/Ana")
        pasted = tone_page.clipboard_after(f'#api [data-copy="{kind}"]')
        subprocess.run([*run, pasted], cwd=tmp_path, check=True, timeout=30, stdout=subprocess.DEVNULL)
        made = httpx.get(f"{tone_address}/v1/audio/voices/Ana").json()
        assert "ref_text" not in made and made["name"] == "Ana"  # invented words would make a voice that can never speak
        asked = {"input": "Hello.", "voice": "Ana"}
        assert httpx.post(f"{tone_address}/v1/audio/speech", json=asked, timeout=30).status_code == httpx.codes.OK
    docs = page.locator("#api-docs").evaluate("link => link.href")
    assert docs == f"{tone_address}/docs" and httpx.get(docs).status_code == httpx.codes.OK


def test_the_first_visit_asks_no_other_host_and_complains_about_nothing(open_page, tone_address):
    """`open_page` fails the test for errors on the console and for requests to foreign hosts."""
    page = open_page(tone_address)
    for tab in page.page.get_by_role("tab").all():
        if tab.is_visible():
            tab.click()
            expect(tab).to_have_attribute("aria-selected", "true")
    assert page.scroll_width() <= 1280
