"""Claims about Create voice in a real browser with a fake microphone, over engines that sing tones."""

import io
import re

import numpy as np
import pytest
import soundfile
from playwright.sync_api import expect

from studio.measure.page.chromium import find_chromium
from tests.browser.conftest import DEMO, MICROPHONE_FLAGS
from tests.browser.driving.studio_page import StudioPage
from tests.browser.studios.tone_page import enroll_tone
from tests.stand_ins import patient_http
from tests.ui.clips.clips import speech_like, wav_bytes

pytestmark = pytest.mark.browser

MOST_TABS = 60  # presses of Tab until a control must have been reached
CHANNELS_RATE = 8_000
# The most, of full scale, of the recorder's own sound, which it draws and plays.
MOST_HEARD = "studio.recorder.clip.pieces[0].reduce((most, word) => Math.max(most, Math.abs(word)), 0) / 32768"


def tab_to(page, selector: str) -> None:
    for _ in range(MOST_TABS):
        if page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {selector}")


# As after each look at the clip.
ENGINES_COME_ANEW = """() => {
  const { rows } = studio.creating._learn;
  const known = { is_here: true, fit: "as_it_is", values: {}, state: "ready" };
  rows.show([...rows._rows].map(([engine, { title, wanted }]) => ({ engine, title, wanted, ...known })));
}"""


def press_on(page, selector: str, key: str = "Enter") -> None:
    tab_to(page, selector)
    page.keyboard.press(key)


def type_into(page, selector: str, text: str) -> None:
    tab_to(page, selector)
    page.keyboard.press("Control+a")
    page.keyboard.type(text)


def create_from_file(page: StudioPage, name: str, data: bytes) -> None:
    """Up to the last step, with the fields filled."""
    page.page.set_input_files("#clip-file", {"name": "clip.wav", "mimeType": "audio/wav", "buffer": data})
    page.wait_for_report()
    page.fill_draft(name)
    page.open_step("extract")


def wav_of(*channels: np.ndarray) -> dict:
    file = io.BytesIO()
    soundfile.write(file, np.stack(channels, axis=1), CHANNELS_RATE, format="WAV", subtype="PCM_16")
    return {"name": "clip.wav", "mimeType": "audio/wav", "buffer": file.getvalue()}


def clip_of(address: str, voice: str) -> bytes:
    return patient_http.get(f"{address}/v1/audio/voices/{voice}/audio").content


def message(page: StudioPage):
    return page.page.locator("#create-message .notice")


def test_a_voice_is_created_by_keyboard_alone(creating_page, tone_address):
    page = creating_page.page
    page.evaluate("addEventListener('studio-recording', ({ detail }) => (window.told ??= []).push(detail), true)")
    page.keyboard.press("Tab")
    page.keyboard.press("r")
    page.wait_for_function("parseFloat(document.querySelector('#clip-seconds').textContent) >= 7")
    for shown, words in (("band", "long enough; up to 20 s is fine"), ("level", "Good level"), ("room", "Quiet room · ")):
        expect(page.locator(f"#clip-{shown}")).to_contain_text(words)
    page.set_viewport_size({"width": 390, "height": 600})
    expect(page.locator("#reading-text")).to_be_in_viewport()
    expect(page.locator("#clip-toggle")).to_be_in_viewport(ratio=1)
    assert page.locator("#player").bounding_box()["height"] == 0
    page.set_viewport_size({"width": 1280, "height": 800})
    page.keyboard.press("r")
    expect(page.locator("#panel-check")).to_be_visible()
    assert page.evaluate("told") == [True, False]
    pcm, rate = creating_page.recorded()

    creating_page.wait_for_report()
    press_on(page, "#figures summary")
    type_into(page, "#region-start", "503")
    page.keyboard.press("Tab")
    tab_to(page, "#region-end")
    page.keyboard.press("Control+a")
    page.keyboard.type("6403")
    page.keyboard.press("Shift+ArrowUp")
    expect(page.locator("#region-length")).to_have_text("6.000 s")
    creating_page.wait_for_report()
    expect(page.locator("#quality tbody tr")).to_have_count(12)
    press_on(page, "#fits summary")
    expect(page.locator("#fit")).to_contain_text("Tone: takes it as it is")

    press_on(page, "#next-check")
    expect(page.locator("#panel-transcript")).to_be_visible()
    type_into(page, "#voice-transcript", "Nine words, more or less, are said in here.")
    expect(page.locator("#transcript-check")).to_contain_text("about 2.5 s to say")
    press_on(page, "#next-transcript")
    expect(page.locator("#panel-consent")).to_be_visible()
    assert page.locator("[name=consent-reason]:checked").count() == 0  # nobody consents by default
    press_on(page, "[name=consent-reason]", "Space")
    expect(page.locator("[name=consent-reason]:checked")).to_have_accessible_description(re.compile("^This is my own voice"))
    type_into(page, "#consent-who", "the demo speaker")
    type_into(page, "#voice-name", "By keyboard")
    press_on(page, "#next-consent")
    expect(page.locator("#panel-extract")).to_be_visible()
    tab_to(page, "#extract-octave")
    page.evaluate(ENGINES_COME_ANEW)
    expect(page.locator("#extract-octave")).to_be_focused()
    if not page.is_checked("#extract-octave"):  # engines that are loaded are ticked
        press_on(page, "#extract-octave", "Space")
    press_on(page, "#create-button")
    expect(message(creating_page)).to_contain_text("By keyboard is ready.")
    for engine in ("tone", "octave"):
        expect(page.locator(f"li:has(#extract-{engine}) .extract-state")).to_contain_text("Ready in")

    press_on(page, "#speak-now")
    expect(page.locator("#voice b")).to_have_text("By keyboard")
    stored, stored_rate = soundfile.read(io.BytesIO(patient_http.get(f"{tone_address}/v1/audio/voices/By keyboard/audio").content))
    assert stored_rate == rate and len(stored) == 6 * rate
    assert np.array_equal(stored, pcm[(first := round(0.503 * rate)) : first + 6 * rate])  # what was recorded, sample by sample


def test_one_engines_failure_stops_no_other_and_a_mended_clip_replaces_the_first(creating_page, tones, tone_address):
    page = creating_page.page
    tones.studio.unload("broken")  # what is known to lack its weights has no box
    create_from_file(creating_page, "Mended", wav_bytes(8.0))
    page.set_checked("#extract-broken", True)
    page.set_checked("#extract-octave", False)
    page.click("#create-button")
    expect(message(creating_page)).to_contain_text("1 of 2 engines learned it")
    expect(page.locator("li:has(#extract-tone) .extract-state")).to_have_attribute("data-state", "memory")
    failed = page.locator("li:has(#extract-broken)")
    expect(failed).to_contain_text("Its weights are not here.")

    creating_page.open_step("check")
    page.click("#figures summary")
    page.fill("#region-end", "4000")
    page.keyboard.press("Tab")
    expect(page.locator("#region-length")).to_have_text("4.000 s")
    said = creating_page.create()
    assert "Mended is ready." in said
    voices = patient_http.get(f"{tone_address}/v1/audio/voices").json()["uploaded_voices"]
    assert [voice["name"] for voice in voices].count("Mended") == 1
    stored, rate = soundfile.read(io.BytesIO(patient_http.get(f"{tone_address}/v1/audio/voices/Mended/audio").content))
    assert len(stored) == 4 * rate

    creating_page.open_step("transcript")
    page.fill("#voice-transcript", "Words that were never said.")
    creating_page.open_step("extract")
    for engine in ("tone", "octave"):
        page.set_checked(f"#extract-{engine}", True)
    page.click("#create-button")
    expect(message(creating_page)).to_contain_text("Mended is stored, but no engine can speak with it.")
    expect(message(creating_page)).to_contain_text("Tone: These are not the words of the recording. Correct them, or leave them out.")
    expect(page.locator("#speak-now")).to_be_hidden()
    page.get_by_role("button", name="Mend the words").click()
    expect(page.locator("#panel-transcript")).to_be_visible()


def test_what_forbids_a_region_is_said_where_it_can_be_changed(creating_page):
    page = creating_page.page
    page.set_input_files("#clip-file", {"name": "hush.wav", "mimeType": "audio/wav", "buffer": wav_bytes(8.0, 8_000, 0.0)})
    expect(page.locator("#quality-verdict")).to_have_text("This can't be learned: nobody speaks in it")
    for fold in ("figures", "fits"):
        page.click(f"#{fold} summary")
    expect(page.locator("#region-heard")).to_contain_text("No speech was found.")
    expect(page.locator("#fit")).to_contain_text("can't learn from it")
    expect(page.locator("#panel-check")).not_to_contain_text(re.compile("as it is|Speech was found"))
    for name in ("best", "trim"):
        expect(page.locator(f"#region-{name}")).to_be_disabled()
    creating_page.open_step("clip")
    page.set_input_files("#clip-file", {"name": "long.wav", "mimeType": "audio/wav", "buffer": wav_bytes(40.0, 8_000)})
    expect(page.locator("#panel-check")).to_be_visible()
    expect(page.locator("#region-heard")).to_contain_text("the best part of it from")
    opened = creating_page.text("#region-length")
    assert 8 < float(opened.removesuffix(" s")) <= 10  # its best part
    expect(page.locator("#quality-verdict")).not_to_have_attribute("data-state", "forbidden")
    page.click("#region-whole")
    page.click("#next-check")  # at once: before the studio can have looked at it
    expect(message(creating_page)).to_contain_text("The recording has 40 s, and 30 s are the limit.")
    expect(page.locator("#panel-check")).to_be_visible()
    expect(page.locator("#quality-verdict")).to_have_text("This can't be learned: it is too long")
    expect(page.locator("#facts")).to_contain_text("40 s are kept, 30 s are taken at most.")
    expect(page.locator("#fit")).not_to_contain_text("as it is")
    page.click("#region-best")
    expect(page.locator("#region-length")).to_have_text(opened)
    page.click("#region-whole")
    end = page.locator("#region-end-handle")
    end.focus()
    end.press("Home")  # as far as the other edge
    expect(page.locator("#region-length")).to_have_text("0.010 s")
    for _ in range(9):
        end.press("Shift+ArrowRight")
    expect(end).to_have_attribute("aria-valuenow", "910")
    creating_page.wait_for_report()
    page.click("#next-check")
    expect(message(creating_page)).to_contain_text("1 s are needed")
    end.press("Shift+ArrowRight")
    creating_page.wait_for_report()
    page.click("#next-check")
    expect(page.locator("#panel-transcript")).to_be_visible()


def test_an_edge_follows_the_pointer(creating_page):
    page = creating_page.page
    page.set_input_files("#clip-file", DEMO)
    creating_page.wait_for_report()
    creating_page.open_step("check")
    box = page.locator("#region-wave").bounding_box()
    length = page.evaluate("studio.creating.region.length")
    page.mouse.move(box["x"] + 2, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + 30, steps=4)
    page.mouse.up()
    assert page.evaluate("studio.creating.region.start") == pytest.approx(length / 4, abs=length / box["width"] * 2)
    page.click("#region-play")
    page.wait_for_function("studioPlayer.state === 'playing'")
    assert page.evaluate("studioPlayer.session.seconds") == pytest.approx(length * 0.75 / 1000, abs=0.1)
    page.keyboard.press("Escape")


def test_a_refused_microphone_leaves_nothing_stuck_and_can_be_allowed_later(browser, microphone, tone_address):
    chromium = find_chromium(asks=True) or pytest.skip("there is no Chromium that asks for a microphone; `make browser` installs one")
    flags = [flag for flag in MICROPHONE_FLAGS if "fake-ui" not in flag]  # which allows every microphone
    asking = browser.browser_type.launch(executable_path=chromium, args=[*flags, f"--use-file-for-fake-audio-capture={microphone}"])
    context = asking.new_context(permissions=["geolocation"])  # what is not named there is denied
    page = StudioPage(context.new_page(), tone_address)
    page.open_tab("Create voice")
    page.page.click("#clip-toggle")
    expect(message(page)).to_have_attribute("data-code", "E-MIC-2")
    expect(message(page)).to_contain_text("Allow it in the address bar, then press Record.")
    expect(message(page).get_by_role("button", name="Upload a recording")).to_be_in_viewport()
    expect(page.page.locator("#clip-toggle")).to_have_attribute("aria-pressed", "false")
    expect(page.page.locator("#clip-toggle .words")).to_have_text("Record")
    context.grant_permissions(["microphone"])
    page.record(1.0)
    expect(page.page.locator("#panel-check")).to_be_visible()
    asking.close()


def test_three_silent_seconds_are_told_with_the_name_of_the_input(creating_page):
    page = creating_page
    page.page.evaluate("""() => {
      const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
      navigator.mediaDevices.getUserMedia = async (wanted) => {
        const stream = await ask(wanted);
        for (const track of stream.getAudioTracks()) track.enabled = false; // as a muted input sounds
        return stream;
      };
    }""")
    page.page.click("#clip-toggle")
    expect(message(page)).to_have_attribute("data-code", "E-MIC-3")
    page.page.evaluate("delete navigator.mediaDevices.getUserMedia")
    name = page.page.evaluate("studio.recorder._capture.device")
    assert name and name in message(page).inner_text()
    message(page).get_by_role("button", name="Choose another").click()
    expect(page.page.locator("#clip")).to_have_attribute("data-state", "empty")
    expect(page.page.locator("#clip-device")).to_be_focused()


def test_files_that_are_too_large_or_no_audio_are_refused_in_words(creating_page, tmp_path):
    page = creating_page.page
    (tmp_path / "huge.wav").write_bytes(bytes(26_000_000))
    page.set_input_files("#clip-file", tmp_path / "huge.wav")
    expect(message(creating_page)).to_contain_text("The file has 26.0 MB; 25 MB are taken at most. Save it as MP3 or FLAC, or cut it")
    expect(message(creating_page)).to_have_attribute("data-code", "E-REF-5")
    page.set_input_files("#clip-file", {"name": "song.wav", "mimeType": "audio/wav", "buffer": b"la la la " * 1000})
    expect(message(creating_page)).to_contain_text("This is a text file, not a recording")
    expect(message(creating_page)).to_contain_text("Choose a sound file, such as WAV, MP3 or M4A.")
    expect(message(creating_page)).to_have_attribute("data-code", "audio_undecodable")
    expect(page.locator("#panel-clip")).to_be_visible()
    expect(page.locator("#next-clip")).to_be_hidden()


def test_of_more_than_ten_minutes_the_beginning_is_taken_and_a_part_is_heard_and_kept(creating_page):
    page, file = creating_page.page, io.BytesIO()
    soundfile.write(file, speech_like(620.0, 8_000), 8_000, format="FLAC")
    name = "<img src=x onerror=alert(1)>.flac"
    page.set_input_files("#clip-file", {"name": name, "mimeType": "audio/flac", "buffer": file.getvalue()})
    expect(message(creating_page)).to_contain_text("The file is longer than 10 min. Its beginning is here")
    expect(page.locator("#clip-about")).to_contain_text(name)
    assert page.locator("img[src=x]").count() == 0
    expect(page.locator("#region-cut")).to_contain_text("longer than 10 min")
    page.click("#region-play")
    page.wait_for_function("studioPlayer.state === 'playing'")
    assert 8 < page.evaluate("studioPlayer.session.seconds") <= 10
    page.keyboard.press("Escape")
    page.click("#next-check")
    expect(page.locator("#panel-transcript")).to_be_visible()


def test_the_channel_that_the_studio_took_is_named_drawn_and_played(creating_page):
    page, speech = creating_page.page, speech_like(3.0, CHANNELS_RATE)
    silence, turn = np.zeros_like(speech), np.arange(len(speech)) // CHANNELS_RATE % 2 == 0
    for channels, told in (
        ([silence, speech], "right channel"),
        ([speech, -speech], "left channel"),
        ([speech, speech], "both channels"),
        ([silence, silence, speech], "channel 3 of 3"),
    ):
        page.set_input_files("#clip-file", wav_of(*channels))
        expect(page.locator("#clip-about")).to_have_text(f"clip.wav · {told}")
        creating_page.wait_for_report()
        assert page.evaluate(MOST_HEARD) == pytest.approx(0.5, abs=0.1), told
        assert max(page.evaluate("studio.creating._draft.peaks")) == pytest.approx(50, abs=2), told
        creating_page.open_step("clip")
    page.set_input_files("#clip-file", wav_of(speech * turn, 0.5 * np.roll(speech, 3 * CHANNELS_RATE // 2) * ~turn))
    expect(page.locator("#create-message")).to_contain_text("Somebody else speaks in another channel of this file.")


def test_a_taken_name_is_said_where_it_is_typed_with_two_ways_out(creating_page, tone_address):
    page, line = creating_page.page, creating_page.page.locator("#voice-name-clash")
    enroll_tone(tone_address, "Taken", 300)
    before = clip_of(tone_address, "Taken")
    page.set_input_files("#clip-file", DEMO)
    creating_page.fill_draft(" TAKEN")
    expect(line).to_contain_text("There is a voice “Taken” already.")
    page.click("#next-consent")
    expect(message(creating_page)).to_contain_text("Replace it, or choose another name.")
    line.get_by_role("button", name="Call it “TAKEN (2)”").click()
    expect(line).to_be_empty()
    page.fill("#voice-name", "hum")
    expect(line).to_contain_text("built into an engine; it can't be replaced.")
    expect(line.get_by_role("button")).to_have_count(1)
    page.fill("#voice-name", "Taken")
    line.get_by_role("button", name="Replace it").click()
    expect(line).to_contain_text("It will be replaced")
    creating_page.create()
    assert clip_of(tone_address, "Taken") != before
    creating_page.open_tab("Voices")
    page.get_by_role("button", name="Actions for Taken", exact=True).click()
    page.get_by_role("menuitem", name="Edit").click()
    page.locator("#voice-edit [name=name]").fill("HUM")
    page.locator("#voice-edit-clash").get_by_role("button", name="Call it “HUM (2)”").click()
    expect(page.locator("#voice-edit-clash")).to_be_empty()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#strip")).to_contain_text("HUM (2) is saved.")


def test_the_clip_is_in_no_folder_of_uploads_at_any_time(creating_page, folders):
    page, requests = creating_page, []
    page.page.on("request", lambda request: requests.append(request.url))
    page.page.set_input_files("#clip-file", DEMO)
    page.wait_for_report()
    page.page.set_input_files("#clip-file", {"name": "text.wav", "mimeType": "audio/wav", "buffer": b"no sound" * 1000})
    expect(message(page)).to_have_attribute("data-code", "audio_undecodable")  # nor where it could not be read
    assert not [url for url in requests if "/upload" in url or "file=" in url]
    assert [path for path in folders["uploads"].rglob("*") if path.is_file()] == []
