"""Claims about the player's two transports, fetch and Gradio's queue, over engines whose pace and failures are set."""

from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

import httpx
import numpy as np
import pytest
import soundfile
from playwright.sync_api import Page, expect

from tests.api.door import eventually
from tests.browser.studios.loose_line import LooseLine
from tests.browser.studios.tone_page import LOOK_SECONDS, TonePage, enroll_tone, heard_hz, streaming, wait_for_silence
from tests.browser.studios.tone_server import served_tones
from tests.stand_ins import patient_http

pytestmark = pytest.mark.browser

ONE_SECOND = "Twenty letters, sung."[:20]
QUIET = 0.01  # -40 dBFS
ENDLESS = "On and on. " * 400  # four minutes
by_gradio = pytest.mark.parametrize("transport", ["gradio"], scope="module")
both = pytest.mark.parametrize("transport", ["fetch", "gradio"], scope="module")  # one after the other: a page that waits costs as well
PITCHES = {"Ana": 300.0} | {f"Singer {number}": 250.0 + 50 * number for number in range(7)}  # Hz
# What the player does at the moment in which the page says that the connection broke: a busy machine may ask for it later.
NOTE_THE_BREAK = """() => new MutationObserver(() => {
  const said = document.querySelector("#speak-message .notice")?.textContent ?? "";
  if (said.includes("The connection broke")) window.stateAtBreak ??= studioPlayer.state;
}).observe(document.body, { subtree: true, childList: true, characterData: true })"""


@pytest.fixture
def new_page(open_page, tone_address):
    """new_page(transport) -> TonePage on which nobody has been."""

    def make(transport: str) -> TonePage:
        enroll_tone(tone_address, "Ana", 300)
        return open_page(tone_address, transport=transport)

    return make


@pytest.fixture
def tone_page(kept_pages, tones):
    """tone_page(transport) -> the page of that transport, as good as new: on Tone, in Ana's voice."""

    def make(transport: str) -> TonePage:
        if transport not in kept_pages:
            kept_pages.close()
        page = kept_pages.get(transport, tones.address, lambda page: opened(page, transport))
        page.settle()
        wait_for_silence(tones.address)
        return page

    def opened(page: Page, transport: str) -> TonePage:
        for name, hz in PITCHES.items():
            enroll_tone(tones.address, name, hz)
        return TonePage(page, tones.address, transport)

    return make


def spoken_by_the_api(address: str, **body) -> np.ndarray:
    answer = patient_http.post(f"{address}/v1/audio/speech", json={"stream_format": "audio", "response_format": "pcm", **body}, timeout=60)
    assert answer.status_code == httpx.codes.OK, answer.text
    return np.frombuffer(answer.content, "<i2")


def test_a_studio_that_is_killed_in_mid_speech_is_told_at_once_and_the_page_goes_on_when_it_is_back(open_page, tmp_path, complaints):
    with served_tones(tmp_path) as before, served_tones(tmp_path) as after, LooseLine(before.address) as line:
        for name, hz in (("Ana", 300), ("Ben", 400)):
            enroll_tone(before.address, name, hz)
        pages = [open_page(line.address, transport=transport) for transport in ("fetch", "gradio")]
        for page, engine in zip(pages, ("Tone", "Octave"), strict=True):  # who is held holds its engine
            page.choose("Ana", engine)
            page.set_pace(hold_at=250)
            page.page.evaluate(NOTE_THE_BREAK)
        for page in pages:
            page.start(ENDLESS)
            page.page.wait_for_function("studioPlayer.session.seconds === 20")  # of which a few were heard
        line.cut()
        for page in pages:
            page.expect_complaint("The connection broke after 20 s. You can keep what arrived.")
            expect(page.page.locator("#player-status")).to_contain_text("broken off after")
            expect(page.page.locator("#connection")).to_contain_text("start it again")
            expect(page.page.locator("#head-engines")).to_have_text("Offline")
            assert page.page.evaluate("stateAtBreak") == "playing"  # it is told while what came is still heard
            page.page.keyboard.press("Escape")
        pages[0].page.get_by_role("tab", name="History", exact=True).click()
        expect(pages[0].page.locator("#connection")).to_contain_text("what you pressed was not done")
        pages[0].open_tab("Speak")
        line.lead_to(after.address)
        for page in pages:
            expect(page.page.locator("#connection")).to_be_hidden()
            assert len(page.samples()) == 20 * 24_000  # no reload took what was heard
            page.set_pace(hold_at="")
            page.choose("Ben")
            assert page.speak("Here again.")["voice"] == "Ben"
        line.cut()
        for page in pages:
            page.page.close()
    complaints[:] = [said for said in complaints if "Failed to load resource" not in said]  # the browser's own words about the line


@both
def test_sound_begins_before_the_engine_is_done(tone_page, tones, transport):
    """It is held in the middle, and let go once it was heard."""
    page = tone_page(transport)
    page.set_pace(hold_at=200)
    page.start(20 * ONE_SECOND)
    page.wait_for_sound()
    page.page.wait_for_function(f"studioPlayer.session.samples === {200 * 1920}")  # all that was made before
    assert page.page.evaluate("studioPlayer.session.complete") is False
    tones.let_go.set()
    page.wait_for_all()
    assert page.page.evaluate("studioPlayer.session.samples") == 20 * 24_000


@both
def test_what_the_player_holds_is_what_the_api_sends(tone_page, tone_address, transport):
    page = tone_page(transport)
    page.set_pace(level=0.01, seed=45)  # -40 dBFS stays there: nothing is normalized
    page.start(ONE_SECOND)
    page.wait_for_all()
    told = spoken_by_the_api(tone_address, input=ONE_SECOND, voice="Ana", model="tone", seed=45, extra_params={"level": 0.01})
    assert np.array_equal(page.samples(), told)
    assert 20 * np.log10(np.abs(told).max() / 32768) == pytest.approx(-40, abs=0.1)


@both
def test_the_download_is_the_apis_wav_of_the_same_seed_and_as_quiet(tone_page, tone_address, tmp_path, transport):
    page = tone_page(transport)
    page.set_pace(level=QUIET, seed=77)
    page.start(ONE_SECOND)
    page.wait_for_all()
    page.download("WAV", tmp_path / "heard.wav")
    body = {"input": ONE_SECOND, "voice": "Ana", "model": "tone", "seed": 77, "response_format": "wav", "extra_params": {"level": QUIET}}
    told = patient_http.post(f"{tone_address}/v1/audio/speech", json=body, timeout=60)
    assert (tmp_path / "heard.wav").read_bytes() == told.content
    samples, _ = soundfile.read(tmp_path / "heard.wav")
    assert 20 * np.log10(np.abs(samples).max()) == pytest.approx(-40, abs=0.1)


@both
def test_stop_reaches_the_engine_and_keeps_what_was_heard(tone_page, tone_address, transport):
    page = tone_page(transport)
    page.set_pace(rtf=1)
    page.start(ENDLESS)
    page.wait_for_sound()
    assert streaming(tone_address) == 1
    page.page.keyboard.press("Escape")
    expect(page.page.locator("#speak-button")).to_have_text("Speak")
    wait_for_silence(tone_address)
    assert page.page.evaluate("studioPlayer.session.seconds") < 30  # of four minutes, which the engine would make in four
    expect(page.page.locator("#player-download")).to_be_enabled()
    page.set_pace(rtf=0)
    assert page.speak("The next one speaks.")["seconds"] == 1.0


@both
def test_stop_before_any_sound_reaches_a_silent_engine(tone_page, tones, tone_address, transport):
    page = tone_page(transport)
    page.set_pace(hold_at=0)
    page.start("Nobody will hear this.")
    expect(page.page.locator("#speak-button")).to_have_text("Stop")
    assert eventually(lambda: streaming(tone_address) == 1, pause=LOOK_SECONDS)
    page.wait_to_stop()
    page.page.click("#speak-button")
    assert page.page.evaluate("studioPlayer.state") == "stopped"
    tones.let_go.set()
    wait_for_silence(tone_address)
    assert page.page.evaluate("studioPlayer.session.samples") == 0


@both
def test_a_failure_in_the_middle_is_told_and_what_came_before_stays(tone_page, transport):
    page = tone_page(transport)
    page.set_pace(fail_at=5, rtf=1)
    page.start(ONE_SECOND)
    page.expect_complaint("The speech broke off after 400 ms. The tone engine was told to fail. You can keep what arrived.")
    assert len(page.samples()) == 5 * 1920
    expect(page.page.locator("#player-play")).to_be_enabled()
    expect(page.page.locator("#player-download")).to_be_enabled()


@both
def test_a_speech_that_ran_away_is_heard_and_then_told(tone_page, transport):
    page = tone_page(transport)
    page.set_pace(loop_at=5)
    page.start(ONE_SECOND)
    line = page.page.locator("#speak-message .notice")
    expect(line).to_contain_text("The speech repeated itself for 3 s, so it was ended. Words may be missing. Try another variation.")
    assert [line.get_attribute(f"data-{name}") for name in ("kind", "code")] == ["note", "looped"]
    assert len(page.samples()) == 5 * 1920
    page.set_pace(loop_at="")
    page.start(ONE_SECOND)
    page.wait_for_all()
    expect(line).to_have_text(" ")


@both
def test_a_failure_before_any_sound_is_told_with_the_next_step(tone_page, transport, complaints):
    page = tone_page(transport)
    page.set_pace(fail_at=0)
    page.start(ONE_SECOND)
    page.expect_complaint("The tone engine was told to fail.")
    page.expect_complaint("Take the number out")
    expect(page.page.locator("#speak-button")).to_have_text("Speak")
    complaints[:] = [said for said in complaints if "Failed to load resource" not in said]  # the browser's own words about the refusal


@both
def test_every_voice_stays_its_own_while_others_speak(tone_page, tone_address, transport):
    pitches = {name: hz for name, hz in PITCHES.items() if name != "Ana"}
    page = tone_page(transport)
    page.choose("Ana", "Tone")  # among them
    page.set_pace(rtf=0.2)
    with ThreadPoolExecutor(len(pitches)) as singers:
        asked = {
            name: singers.submit(spoken_by_the_api, tone_address, input=ONE_SECOND, voice=name, model=engine, extra_params={"rtf": 0.1})
            for name, engine in zip(pitches, cycle(("tone", "tone", "tone", "octave")))
        }
        page.start(ONE_SECOND)
        page.wait_for_all()
        heard = {name: heard_hz(future.result()) for name, future in asked.items()}
    assert heard == {name: pytest.approx(hz * (2 if name == "Singer 3" else 1), abs=2) for name, hz in pitches.items()}
    assert heard_hz(page.samples()) == pytest.approx(PITCHES["Ana"], abs=2) and len(page.samples()) == 24_000


@by_gradio
def test_a_lost_message_is_told_and_not_skipped(tone_page, transport):
    said = tone_page(transport).page.evaluate("""async () => {
      const samples = btoa(String.fromCharCode(1, 0, 2, 0));
      const speech = new studio.RelayedSpeech("x");
      speech.take({ number: 0, samples, sampleRate: 24000, facts: { cache: "hit", stages: {} } });
      speech.take({ number: 1, samples });
      speech.take({ number: 3, samples });
      const heard = [];
      try {
        for await (const samples of (await speech.opened).chunks) heard.push([...samples]);
      } catch (error) {
        return [heard, error.message];
      }
    }""")
    assert said == [[[1, 2]] * 2, "A part of the sound was lost on its way."]


@by_gradio
def test_two_windows_speak_over_gradio_at_once_and_each_hears_its_own(tone_page, new_page, transport):
    pages = [tone_page(transport), new_page(transport)]
    for page, engine in zip(pages, ("Tone", "Octave"), strict=True):
        page.choose("Ana", engine)
        page.set_pace(rtf=0.5)
    for page in pages:
        page.start(ONE_SECOND)
    for page, hz in zip(pages, (300, 600), strict=True):
        page.wait_for_all()
        assert heard_hz(page.samples()) == pytest.approx(hz, abs=2)


@by_gradio
def test_a_session_that_gradio_has_forgotten_is_made_again(tone_page, complaints, transport):
    said = tone_page(transport).page.evaluate("""async () => {
      const { root, api_prefix: prefix, components, dependencies } = gradio_config;
      const relay = components.find(({ props }) => props?.elem_id === "relay").id;
      const ask = dependencies.find(({ targets }) => targets.some(([id, name]) => id === relay && name === "ask")).id;
      const queue = new studio.GradioQueue(root + prefix, "nobody knows this one");
      await queue._read(); // "session not found"
      const kinds = [];
      const take = (text) => kinds.push(Object.keys(JSON.parse(text))[0]);
      const request = { input: "Hello.", voice: "hum" };
      for (let count = 0; count < 2; count += 1) await queue.ask(ask, { run: String(count), request }, take);
      return kinds;
    }""")
    assert said[0] == "number" and said[-1] == "over" and said.count("over") == 2
    complaints[:] = [told for told in complaints if "INCOMPLETE_CHUNKED" not in told]  # how Gradio says that it knows no such session


@by_gradio
def test_each_event_bears_the_visitors_sign_where_the_frame_of_the_hub_gives_one(tone_page, transport):
    said = tone_page(transport).page.evaluate("""async () => {
      const parent = { postMessage: (what, to, [port]) => port.postMessage({ "x-zerogpu-token": `${what} ${to}` }) };
      return Promise.all([
        studio.visitorHeaders({ parent, supports_zerogpu_headers: true }, "someone-voices.hf.space"),
        studio.visitorHeaders({ parent, supports_zerogpu_headers: true }, "studio.example"),
        studio.visitorHeaders({ parent }, "someone-voices.hf.space"),
        studio.visitorHeaders(),
      ]);
    }""")
    assert said == [{"x-zerogpu-token": "zerogpu-headers https://huggingface.co"}, {}, {}, {}]


@both
def test_a_closed_tab_ends_its_stream(tone_page, kept_pages, tone_address, transport):
    """Of each transport it is the last of these tests, since it closes their page."""
    page = tone_page(transport)
    page.set_pace(rtf=0.5)
    page.start(ENDLESS)
    page.wait_for_sound()
    page.page.close()
    kept_pages.close()
    wait_for_silence(tone_address)
