"""Describe a voice, in a real browser: three blends by chance, each heard by a press, and the one that is kept speaks as it was heard."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from studio.service import Studio
from studio.settings import Settings
from tests.browser.studios.served_page import served_page
from tests.stand_ins.fake_engine import BLENDER, DESIGNER, FakeEngine

pytestmark = pytest.mark.browser

INFOS = {info.id: info for info in (BLENDER, DESIGNER)}


@pytest.fixture
def making(tmp_path) -> Iterator[tuple[Studio, str]]:
    """A studio over engines that make voices, and its address."""
    settings = Settings(speakers_dir=tmp_path, default_engine=BLENDER.id, warm_uploads=False)
    made = Studio(settings, infos=INFOS, open_engine=lambda name: FakeEngine(INFOS[name], seconds_per_character=0.02))
    with served_page(made) as address:
        yield made, address
    made.close()


def keep(page, name: str) -> None:
    """What the dialog asks for."""
    page.locator("#design-keep [name=name]").fill(name)
    page.keyboard.press("Enter")
    expect(page.locator("#create-message")).to_contain_text(f"{name} is a voice now.")


def test_a_blend_and_a_described_voice_are_heard_kept_and_spoken_with(making, open_page):
    studio, address = making
    page = open_page(address, transport="fetch").page
    page.get_by_role("tab", name="Create voice").click()
    page.get_by_role("button", name="Describe a voice").press("Enter")
    expect(page.locator("#creating")).to_be_hidden()
    expect(page.get_by_role("heading", name="A voice that nobody has", level=2)).to_be_visible()  # the room's own is hidden with its steps
    shares = page.get_by_role("slider")
    expect(shares).to_have_count(2)
    shares.first.press("End")
    expect(page.locator("#design-own .note")).to_have_text("alma 67 % · bea 33 %")
    page.get_by_role("button", name="Surprise me with three").press("Enter")
    expect(page.locator("#design-candidates li")).to_have_count(3)
    mine = page.get_by_role("button", name="Keep Your blend")
    expect(mine).to_be_disabled()
    page.get_by_role("button", name="Hear: Your blend").press("Enter")
    expect(mine).to_be_enabled()
    mine.press("Enter")
    keep(page, "Mira")
    assert studio.speaker("mira").consent_record.statement == "alma:2+bea:1"

    page.locator("#design-engine").select_option("designer")
    draw = page.get_by_role("button", name="Make three candidates")
    expect(draw).to_be_disabled()
    page.get_by_label("Who is to speak?").fill("an old man")
    draw.click()
    second = page.locator("#design-candidates li").nth(1)
    second.get_by_role("button", name="Hear: Candidate 2").click()
    second.get_by_role("button", name="Keep Candidate 2").click()
    keep(page, "Gran")
    record = studio.speaker("gran").consent_record
    assert second.locator(".note").inner_text().replace(",", "") == f"Variation {record.seed}"

    page.get_by_role("button", name="Speak with Gran").click()
    expect(page.locator("#voice")).to_have_accessible_name("Voice: Gran")
