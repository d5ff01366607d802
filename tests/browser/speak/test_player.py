"""Claims about the player and the page's look, in a real browser. They use a built-in voice of the default engine."""

import base64
import json
import re
from itertools import product

import numpy as np
import pytest
import soundfile
from playwright.sync_api import expect

from studio.audio.formats import streaming_wav_header
from tests.browser.conftest import DEMO, INSECURE_HOST
from tests.browser.driving.studio_page import StudioPage
from tests.browser.studios.tone_page import wait_for_silence
from tests.stand_ins import patient_http

pytestmark = pytest.mark.browser

LONG_TEXT = (
    "One sentence follows another, and none of them says anything of importance to anybody. " * 200
)  # a minute of work for the engine
# Presses Stop while something is scheduled to sound; seconds of the audio clock until the last of it is told to end.
STOP = """async () => {
  const until = [];
  const stop = AudioBufferSourceNode.prototype.stop;
  AudioBufferSourceNode.prototype.stop = function (when) {
    until.push(when - this.context.currentTime);
    return stop.call(this, when);
  };
  while (!studioPlayer.session.sources.size) await new Promise(requestAnimationFrame); // in a gap, on a busy machine
  const n = studioPlayer.session.sources.size;
  document.querySelector("#player-stop").click(); // at Speak a second press so soon would be none
  return n && until.length === n ? Math.max(...until) : null;
}"""


@pytest.fixture
def address(embedded_address) -> str:
    """Of a studio in this process: nothing is asked of the process itself."""
    return embedded_address


@pytest.fixture
def kept_page(kept_pages, address) -> StudioPage:
    """The page that these tests share: nothing sounds, is said, unfolded or changed."""
    page = kept_pages.get("app", address, lambda page: StudioPage(page, address))
    page.page.evaluate("studioPlayer.stop()")
    if page.page.locator('.player[data-unfolded="true"] #player-unfold').is_visible():
        page.page.click("#player-unfold")
    wait_for_silence(address)
    if page.page.locator("#options-reset").is_visible():
        page.page.click("#options-reset")
    return page


# Two seconds of a tone of 220 Hz, of which the second half arrives when `rest()` is called. `heldAt` is where the sound stood at a press.
STREAMED = """() => {
  const tone = Int16Array.from({ length: 48000 }, (_, at) => 8000 * Math.sin((2 * Math.PI * 220 * at) / 24000));
  const rest = new Promise((resolve) => (window.rest = resolve));
  async function* chunks() {
    yield tone.subarray(0, 24000);
    await rest;
    yield tone.subarray(24000);
  }
  window.cancelled = false;
  const about = { voice: "Rosa", engineTitle: "Tone", text: "A tone.", print: "0123456789abcdef0123" };
  const cancel = () => (window.cancelled = true);
  window.heard = studioPlayer.play({ sampleRate: 24000, chunks: chunks() }, { key: "rosa", about, label: "Rosa, Tone", cancel });
}"""
# In one go: it is heard for a second.
# Seconds of sound per second of the clock, from where it stands or from the beginning to its end; null where too little was read of it.
# The clock goes on within a task as well, so that what counts is read while it stands still.
PACE = """async () => {
  const readings = [];
  studioPlayer.togglePlay("rosa", () => fail());
  while (studioPlayer.state !== "playing") await new Promise(requestAnimationFrame);
  while (studioPlayer.state !== "ended") {
    const clock = studioPlayer._context.currentTime;
    const at = studioPlayer.heardSeconds;
    if (at > 0.1 && at < 1.9 && clock === studioPlayer._context.currentTime) readings.push({ clock, at });
    await new Promise(requestAnimationFrame);
  }
  const [first, last] = [readings[0], readings.at(-1)];
  return readings.length && last.clock - first.clock > 0.3 ? (last.at - first.at) / (last.clock - first.clock) : null;
}"""
PLAY_AND_ESCAPE = """() => {
  document.querySelector("#player-play").click();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
}"""


def test_what_arrives_is_paused_sought_and_heard_at_another_speed(kept_page):
    """The first of these tests: before it nothing was heard."""
    page = kept_page.page
    expect(page.locator(".player")).to_be_hidden()  # nothing was heard
    assert page.locator("#player").bounding_box()["height"] == 0
    page.evaluate(STREAMED)
    kept_page.wait_for_sound()
    expect(page.locator("#player-name")).to_have_text("Rosa")
    assert page.locator(".player .print").count() == 1 and page.evaluate("studioPlayer.isSounding('rosa')")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(" ")  # no field and no button has the focus
    held = page.evaluate("studioPlayer.heardSeconds")
    page.evaluate("rest()")
    page.wait_for_function("studioPlayer.session.complete")  # what arrives goes on arriving
    assert page.evaluate("[studioPlayer.state, studioPlayer.session.sources.size, studioPlayer.heardSeconds]") == ["paused", 0, held]
    kept_page.unfold_player()
    slider = page.get_by_role("slider", name="Position")
    slider.press("ArrowRight")
    assert page.evaluate("studioPlayer.heardSeconds") == pytest.approx(min(2, held + 1))
    slider.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "2.0 of 2.0 seconds")
    slider.press("Home")
    box = slider.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 10)
    assert page.evaluate("studioPlayer.heardSeconds") == pytest.approx(1, abs=0.02)
    page.get_by_role("button", name="Back 2 seconds").click()
    page.get_by_label("Playback speed").select_option("2")
    paces = (page.evaluate(PACE) for _ in range(5))  # a page that stalls for all of a second has read none
    assert next(pace for pace in paces if pace is not None) == pytest.approx(2, rel=0.05)
    assert page.evaluate("heard.then(({ samples, stopped, underruns }) => [samples, stopped, underruns])") == [48_000, False, 0]
    page.evaluate(PLAY_AND_ESCAPE)  # from its beginning
    assert page.evaluate("[studioPlayer.state, cancelled, studioPlayer.session.stopped]") == ["stopped", False, False]
    page.evaluate("document.dispatchEvent(new CustomEvent('studio-recording', { detail: true }))")
    expect(page.locator(".player")).to_be_hidden()
    page.evaluate("document.dispatchEvent(new CustomEvent('studio-recording', { detail: false }))")
    expect(page.locator(".player")).to_be_visible()


# The elements whose style is another one while a second of a tone is heard, by selector, and how often a frame is asked for meanwhile.
MOVED = """async () => {
  const moved = new Set();
  const note = (changes) => { for (const { target } of changes) moved.add(target); };
  const watch = new MutationObserver(note);
  watch.observe(document.body, { subtree: true, attributes: true, attributeFilter: ["style"] });
  const ask = window.requestAnimationFrame;
  let nFrames = 0;
  window.requestAnimationFrame = (draw) => { nFrames += 1; return ask(draw); };
  const tone = Int16Array.from({ length: 24000 }, (_, at) => 8000 * Math.sin((2 * Math.PI * 220 * at) / 24000));
  await studioPlayer.play({ sampleRate: 24000, chunks: [tone] }, { label: "A tone" });
  window.requestAnimationFrame = ask;
  note(watch.takeRecords());
  watch.disconnect();
  return [[...moved].map((one) => [one.className || one.localName, one.querySelectorAll("*").length]), nFrames];
}"""
LEAVES = {
    "playhead": 1,
    "span": 0,
    "player-line": 0,
}  # what may move with the sound, and how much is in it, which a browser styles anew each time
MOST_FOLDED_FRAMES = 30  # in a second: one in 50 ms, and those of what begins and ends


def test_what_moves_with_the_sound_is_small_and_a_folded_player_rests_between_pictures(kept_page):
    moved, n_frames = kept_page.page.evaluate(MOVED)
    assert dict(moved).items() <= LEAVES.items()
    assert n_frames <= MOST_FOLDED_FRAMES
    kept_page.unfold_player()
    moved, _ = kept_page.page.evaluate(MOVED)
    assert dict(moved) == LEAVES


def test_the_playhead_is_where_the_sound_is_in_a_window_of_any_width(kept_page):
    page = kept_page.page
    page.evaluate(MOVED)
    kept_page.unfold_player()
    page.evaluate("studioPlayer.seek(studioPlayer.session.seconds / 2)")
    for width in (1280, 700, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_function("""() => {
          const [wave, head] = ["#player-wave", ".playhead"].map((part) => document.querySelector(part).getBoundingClientRect());
          return Math.abs(wave.x + wave.width / 2 - (head.x + head.width / 2)) < 1;
        }""")
        kept_page.expect_no_sideways_scroll()
    page.click("#player-unfold")
    page.evaluate("studioPlayer.seek(studioPlayer.session.seconds / 4)")
    page.wait_for_function("Math.abs(document.querySelector('.player-line').getBoundingClientRect().width - innerWidth / 4) < 1")
    page.set_viewport_size({"width": 1280, "height": 844})
    expect(page.locator(".player-line")).to_be_hidden()


def test_stop_silences_the_page_at_once_and_reaches_the_engine(kept_page, address):
    page = kept_page.page
    page.get_by_label("Text", exact=True).fill(LONG_TEXT)
    page.keyboard.press("Control+Enter")
    kept_page.wait_for_sound()
    kept_page.wait_to_stop()
    assert page.evaluate(STOP) < 0.1
    page.wait_for_function("studioPlayer.session.sources.size === 0")
    expect(page.locator("#speak-button")).to_have_text("Speak")
    expect(page.locator("#player-status")).to_contain_text("stopped after")
    assert kept_page.newest_run()["stopped"]
    wait_for_silence(address)


def test_escape_stops_before_there_is_any_sound(kept_page, address):
    page = kept_page.page
    page.get_by_label("Text", exact=True).fill(LONG_TEXT)
    page.evaluate("document.querySelector('#speak-button').click()")
    page.keyboard.press("Escape")
    assert page.evaluate("studioPlayer.state") == "stopped"
    wait_for_silence(address)
    assert page.evaluate("[studioPlayer.state, studioPlayer.session.sources.size, studioPlayer.tap().rms]") == ["stopped", 0, 0]


def test_the_download_holds_exactly_the_samples_of_the_stream(kept_page, address, tmp_path):
    text = "Every bit of this is kept."
    run = kept_page.speak(text)
    voice = run["voice"]
    assert kept_page.download("WAV", tmp_path / "heard.wav").endswith(".wav")
    heard, rate = soundfile.read(tmp_path / "heard.wav", dtype="int16")
    assert kept_page.download("FLAC", tmp_path / "heard.flac").endswith(".flac")  # by the studio
    packed, packed_rate = soundfile.read(tmp_path / "heard.flac", dtype="int16")
    assert packed_rate == rate and np.array_equal(packed, heard)
    kept_page.download("Text and settings", tmp_path / "heard.json")
    settings = json.loads((tmp_path / "heard.json").read_text(encoding="utf-8"))
    assert settings["seconds"] == pytest.approx(len(heard) / rate) and settings["figures"]["underruns"] == run["underruns"]
    body = {"input": text, "voice": voice, "stream_format": "audio", "response_format": "wav"}  # at the engine's own rate
    answer = patient_http.post(f"{address}/v1/audio/speech", json=body, timeout=30)
    assert rate == int(answer.headers["X-Sample-Rate"])
    assert np.array_equal(heard, np.frombuffer(answer.content[len(streaming_wav_header(rate)) :], "<i2"))


STREAM = """async (text) => {
  const sent = new TextEncoder().encode(text);
  const cuts = [0, 1, 4, 27, 60, 61, 150, sent.length].filter((cut) => cut <= sent.length);
  const body = new ReadableStream({
    start(controller) {
      cuts.slice(1).forEach((cut, index) => controller.enqueue(sent.slice(cuts[index], cut)));
      controller.close();
    },
  });
  const fetched = window.fetch;
  window.fetch = async () => new Response(body, { headers: { "X-Sample-Rate": "24000", "Server-Timing": "first_audio;dur=1" } });
  const stream = await studio.openSpeech({ input: "x" });
  window.fetch = fetched;
  const heard = [];
  await new Promise((resolve) => setTimeout(resolve)); // the player is late: all has come
  try {
    for await (const samples of stream.chunks) heard.push(...samples);
  } catch (error) {
    return [heard, error.message];
  }
  return [heard, ""];
}"""
DELTA = 'event: speech.audio.delta\ndata: {"type": "speech.audio.delta", "audio": "%s", "index": %d}\n\n'
DONE = 'event: speech.audio.done\ndata: {"type": "speech.audio.done", "text": "fünf"}\n\n'
FAILED = 'event: speech.audio.error\ndata: {"type": "speech.audio.error", "error": {"message": "Told to fail."}}\n\n'


def delta(index: int, data: bytes) -> str:
    return DELTA % (base64.b64encode(data).decode(), index)


def deltas(*chunks: list[int], begins: int = 1) -> str:
    return "".join(delta(begins + index, np.array(chunk, "<i2").tobytes()) for index, chunk in enumerate(chunks))


HEADER = delta(0, streaming_wav_header(24_000))
HEARD = HEADER + deltas([1, -2], [300, 4])
ENDINGS = {
    "whole": (HEARD + DONE, ""),
    "with a sign of life": (HEADER + deltas([1, -2]) + ": ping\n\n" + deltas([300, 4], begins=2) + DONE, ""),
    "failed": (HEARD + FAILED, "Told to fail."),
    "without an end": (HEARD, "The sound ended before its end."),
    "cut in its end": (HEARD + DONE[:20], "The sound ended before its end."),
}


def test_what_came_is_heard_wherever_the_network_cuts_it_and_then_how_it_ended(kept_page):
    for ending, (sent, said) in ENDINGS.items():
        assert kept_page.page.evaluate(STREAM, sent) == [[1, -2, 300, 4], said], ending


def test_a_stream_that_runs_dry_is_counted_and_gets_a_longer_lead_as_do_the_next(kept_page):
    session = kept_page.page.evaluate("""async () => {
      studioPlayer._learnedLead = 0; // of whatever ran dry before
      async function* chunks() {
        for (let count = 0; count < 3; count += 1) {
          yield new Int16Array(2400).fill(1000);
          const dry = studioPlayer.session.nextTime + 0.15; // at the audio clock, which a busy machine holds up
          while (studioPlayer.tap().contextSeconds < dry) await new Promise(resolve => setTimeout(resolve, 5));
        }
      }
      const { underruns, lead, seconds, gapSeconds } = await studioPlayer.play({ sampleRate: 24000, chunks: chunks() }, { label: "Dry" });
      const least = studioPlayer._context.baseLatency + 0.002;
      const leads = [];
      for (let count = 0; count < 3; count += 1) {
        leads.push((await studioPlayer.play({ sampleRate: 24000, chunks: [new Int16Array(240)] })).lead / least);
      }
      return { underruns, lead: lead / least, seconds, gapSeconds, leads };
    }""")
    assert session["underruns"] == 2
    assert session["lead"] == pytest.approx(4)  # doubled by each
    assert session["leads"] == pytest.approx([4, 2, 1])  # the next one begins with it, and trust comes back
    assert session["seconds"] == pytest.approx(0.3)
    assert session["gapSeconds"] > 0.2


def test_what_goes_wrong_is_a_line_on_the_page(kept_page, complaints):
    page = kept_page.page
    line = page.locator("#speak-message .notice")
    page.get_by_label("Text", exact=True).fill("   ")
    page.click("#speak-button")
    expect(line).to_contain_text("There is nothing to say")
    expect(page.locator("#player-status")).to_have_text("Speech: nothing to hear.")
    page.get_by_label("Text", exact=True).fill("A sentence.")
    kept_page.show_options()
    page.fill("#option-speed", "99")
    page.click("#speak-button")
    expect(line).to_contain_text("speed")
    expect(line).to_have_attribute("data-kind", "problem")
    assert page.get_by_label("Text", exact=True).input_value() == "A sentence."
    page.fill("#option-speed", "1")
    page.route("**/v1/audio/speech", lambda route: route.abort())
    page.click("#speak-button")
    expect(line).to_contain_text(re.compile(r"The studio (does not answer|did not answer. It does again)\."))  # as soon as it is known
    expect(page.locator("#speak-button")).to_have_text("Speak")
    page.unroute("**/v1/audio/speech")
    kept_page.speak("A sentence.")
    expect(line).to_have_text("")
    assert len(complaints) == 2 and all(complaint.startswith("Failed to load resource") for complaint in complaints)
    complaints.clear()  # the browser's own words about the two requests that had to fail


def test_an_insecure_address_explains_the_microphone_and_still_plays(open_page, address):
    studio_page = open_page(address.replace("127.0.0.1", INSECURE_HOST))
    assert studio_page.page.evaluate("window.isSecureContext") is False
    studio_page.open_tab("Create voice")
    expect(studio_page.page.locator("#clip-problem")).to_contain_text("The microphone needs https or localhost, and this page is http://")
    expect(studio_page.page.locator("#clip-toggle")).to_be_hidden()  # no dead button
    studio_page.page.set_input_files("#clip-file", DEMO)
    studio_page.wait_for_report()
    studio_page.open_tab("Speak")
    studio_page.page.click("#speak-button")
    studio_page.wait_for_sound()


def test_nothing_scrolls_sideways_and_everything_stays_in_sight(kept_page):
    studio_page = kept_page
    studio_page.speak("A short one.")
    for width, scheme in product((1280, 390), ("light", "dark")):
        studio_page.page.set_viewport_size({"width": width, "height": 844})
        studio_page.page.emulate_media(color_scheme=scheme)
        studio_page.expect_no_sideways_scroll()
        player = studio_page.page.locator("#player").bounding_box()
        assert player["x"] >= 0 and player["x"] + player["width"] <= width
        assert player["y"] + player["height"] == pytest.approx(844, abs=1)
