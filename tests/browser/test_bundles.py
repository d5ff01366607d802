"""Bundles: what is chosen about a taken name is what is done, and what comes back is what went out."""

import pytest
from playwright.sync_api import expect

from tests import patient_http
from tests.browser.studio_page import StudioPage
from tests.browser.test_transports import spoken_by_the_api
from tests.browser.tone_page import enroll_tone, heard_hz

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
