"""Bundles: what is chosen about a taken name is what is done, and what comes back is what went out; and voices that other tools made."""

import numpy as np
import pytest
import safetensors.numpy
from playwright.sync_api import expect

from tests.browser.driving.studio_page import StudioPage
from tests.browser.speak.test_transports import spoken_by_the_api
from tests.browser.studios.tone_page import enroll_tone, heard_hz
from tests.stand_ins import patient_http

pytestmark = pytest.mark.browser

NAME = "Bundled"


def facts(address: str, name: str = NAME) -> dict[str, object]:
    voices = patient_http.get(f"{address}/v1/audio/voices").json()["uploaded_voices"]
    return next(voice for voice in voices if voice["name"] == name)


def sound(address: str, name: str = NAME) -> bytes:
    return patient_http.get(f"{address}/v1/audio/voices/{name}/audio").content


def act(page: StudioPage, name: str) -> None:
    page.page.get_by_role("button", name=f"Actions for {NAME}", exact=True).click()
    page.page.get_by_role("menuitem", name=name).click()


def told(page: StudioPage):
    """What the dock's strip says."""
    return page.page.locator("#strip .notice").first


def bring_in(page: StudioPage, bundle, choice: str) -> None:
    page.page.set_input_files("#voices-import", bundle)
    dialog = page.page.locator("#voice-import")
    expect(dialog).to_contain_text(f"There is a voice “{NAME}” already.")
    dialog.get_by_label(choice).check()
    dialog.get_by_role("button", name="Import").click()


def test_skip_changes_nothing_and_replace_brings_back_the_same_voice(open_page, tone_address, tmp_path):
    enroll_tone(tone_address, NAME, 410)
    spoken_by_the_api(tone_address, input="Learn it.", voice=NAME, model="tone")
    page = open_page(tone_address)
    page.open_tab("Voices")
    act(page, "Edit")
    page.page.locator("#voice-edit").get_by_label("Tags").fill("deep, slow")
    page.page.get_by_role("button", name="Save").click()
    expect(told(page)).to_contain_text("is saved")
    went_out, sound_out = facts(tone_address), sound(tone_address)
    act(page, "Export")
    with page.page.expect_download() as downloaded:
        page.page.get_by_role("button", name="Download", exact=True).click()
    bundle = tmp_path / "bundled.voice.zip"
    downloaded.value.save_as(bundle)

    patient_http.delete(f"{tone_address}/v1/audio/voices/{NAME}")
    enroll_tone(tone_address, NAME, 820)  # somebody else's voice by the same name
    other = sound(tone_address)
    bring_in(page, bundle, "Import nothing")
    expect(told(page)).to_contain_text("Nothing was imported. The voice of that name stays as it is.")
    assert sound(tone_address) == other != sound_out

    learned = patient_http.get(f"{tone_address}/v1/audio/cache/stats").json()["extractions"]
    bring_in(page, bundle, "Replace the one that is here")
    expect(told(page)).to_contain_text(f"{NAME} is imported.")
    came_back = facts(tone_address)
    assert sound(tone_address) == sound_out
    for name in ("consent", "ref_text"):
        assert came_back.get(name) == went_out.get(name)
    expect(page.page.locator("#voices-cards > li").filter(has_text=NAME).first).to_contain_text("deep")
    assert heard_hz(spoken_by_the_api(tone_address, input="Once more, please.", voice=NAME, model="tone")) == pytest.approx(410, abs=3)
    assert patient_http.get(f"{tone_address}/v1/audio/cache/stats").json()["extractions"] == learned  # what came along was enough
    what_other_tools_made_is_asked_about_and_imported(page, tone_address, tmp_path)


def what_other_tools_made_is_asked_about_and_imported(page: StudioPage, address: str, folder) -> None:
    """In Voices by a file that is chosen; in Create voice by one that is dropped."""
    made, misfit, pickle = folder / "Elsewhere.safetensors", folder / "misfit.safetensors", folder / "voice.pt"
    made.write_bytes(safetensors.numpy.save({"embeddings": np.full((3, 6), 530, np.float32)}))
    misfit.write_bytes(safetensors.numpy.save({"x": np.zeros((3, 5), np.float32)}))
    pickle.write_bytes(b"PK\x03\x04 and so on")
    message, dialog = page.page.locator("#voices-message"), page.page.locator("#voice_adopt")
    page.page.set_input_files("#voices-import", misfit)
    expect(message).to_contain_text("In this file is x (F32, 3 × 5), which is no voice that an engine here takes.")
    expect(message).to_contain_text("Tone: embeddings (frames, 6)")
    page.page.set_input_files("#voices-import", made)
    expect(dialog).to_contain_text("embeddings, 3 frames")
    dialog.get_by_role("button", name="Import").click()
    expect(dialog).to_be_visible()  # nobody has said why the voice may be used
    dialog.get_by_label("Why may you use this voice?").select_option("A synthetic voice")
    dialog.get_by_label("Whose voice").fill("made up")
    dialog.get_by_role("button", name="Import").click()
    expect(told(page)).to_contain_text("Elsewhere is imported.")
    card = page.page.locator("#voices-cards > li").filter(has_text="Elsewhere")
    expect(card).to_contain_text("made with other tools")
    expect(card).to_contain_text("made by computer")
    expect(card).to_contain_text("Octave: can't use it")
    assert heard_hz(spoken_by_the_api(address, input="Once more, please.", voice="Elsewhere", model="tone")) == pytest.approx(530, abs=3)

    one_dialog_asks_about_one_file_after_the_other(page, address, dialog)
    page.open_tab("Create voice")
    page.page.locator("#clip").dispatch_event("drop", {"dataTransfer": held(page, {pickle.name: pickle.read_bytes()})})
    expect(page.page.locator("#create-message")).to_contain_text("Convert it with this line of Python: import torch")


def held(page: StudioPage, files: dict[str, bytes]):
    """What somebody drags onto the page. files: by name."""
    script = """files => {
      const held = new DataTransfer();
      for (const [name, bytes] of files) held.items.add(new File([Uint8Array.from(bytes)], name));
      return held;
    }"""
    return page.page.evaluate_handle(script, [[name, list(data)] for name, data in files.items()])


def one_dialog_asks_about_one_file_after_the_other(page: StudioPage, address: str, dialog) -> None:
    """Whose name is whose: Enter agrees to the first, the button refuses the second; what was chosen about a name goes with its dialog."""
    name, reason = dialog.get_by_label("Name", exact=True), dialog.get_by_label("Why may you use this voice?")
    first, second = (safetensors.numpy.save({"embeddings": np.full((3, 6), hz, np.float32)}) for hz in (610, 720))
    page.page.locator("#voices-full").dispatch_event("drop", {"dataTransfer": held(page, {"First.safetensors": first})})
    page.page.locator("#voices-full").dispatch_event(
        "drop", {"dataTransfer": held(page, dict.fromkeys(("Two.safetensors", "Elsewhere.safetensors"), second))}
    )
    expect(name).to_have_value("First")
    reason.select_option("A synthetic voice")
    dialog.get_by_label("Whose voice").fill("made up")
    dialog.get_by_label("Whose voice").press("Enter")
    expect(told(page)).to_contain_text("First is imported.")
    expect(name).to_have_value("Two")
    dialog.get_by_role("button", name="Cancel").click()
    expect(name).to_have_value("Elsewhere")
    dialog.get_by_role("button", name="Replace").click()
    expect(dialog).to_contain_text("will be replaced")
    page.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert heard_hz(spoken_by_the_api(address, input="Once more, please.", voice="First", model="tone")) == pytest.approx(610, abs=3)
    page.page.locator("#voices-full").dispatch_event("drop", {"dataTransfer": held(page, {"Elsewhere.safetensors": second})})
    expect(dialog).to_contain_text("Replace")
    expect(dialog).not_to_contain_text("will be replaced")
    page.page.keyboard.press("Escape")
