"""What is said of how an engine should speak, or who, on the page: beside the text, in the draft, and in the History."""

import json
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import expect

from engines.clips.clip import Clip
from studio.service import Studio
from studio.settings import Settings
from studio.speakers.speaker import Enrollment
from tests.browser.studios.served_page import served_page
from tests.stand_ins.fake_engine import DESIGNER, INFO, FakeEngine

pytestmark = pytest.mark.browser

WOMAN, QUICK = "a young woman", "cheerful\nand quick"


@pytest.fixture
def designer(tmp_path) -> Iterator[tuple[str, FakeEngine]]:
    """The address of a studio with an engine that designs voices, that engine, and another one without the option."""
    infos, engine = {info.id: info for info in (INFO, DESIGNER)}, FakeEngine(DESIGNER)
    studio = Studio(
        Settings(speakers_dir=tmp_path, default_engine=INFO.id, warm_uploads=False),
        infos=infos,
        open_engine=lambda name: engine if name == DESIGNER.id else FakeEngine(),
    )
    samples = np.random.default_rng(1).uniform(-0.3, 0.3, 48_000).astype(np.float32)
    studio.enroll(Enrollment("Rosa", "own", clip=Clip(samples, 24_000)))
    with served_page(studio) as address:
        yield address, engine
    studio.close()


def test_a_voice_is_described_beside_the_text_and_the_draft_and_the_history_keep_the_words(designer, open_page, complaints):
    address, engine = designer
    page = open_page(address, transport="fetch")
    say = page.page.locator("#option-instructions")
    expect(say).to_be_hidden()
    page.choose("design", DESIGNER.title)
    expect(page.page.get_by_label("Describe the voice")).to_have_attribute("placeholder", "a young woman, gentle and slow")
    expect(page.page.locator("#instructions")).to_contain_text("up to 500 characters; left empty, the variation decides who speaks")
    assert page.speak("One.")["voice"] == "design"
    say.fill(WOMAN)
    page.speak("Two.")
    page.choose("Rosa")
    expect(page.page.get_by_label("Instructions", exact=True)).to_have_value(WOMAN)
    say.fill(QUICK)
    page.show_options()
    page.page.fill("#option-speed", "2")
    page.page.click("#options-reset")  # of what is folded
    page.speak("Three.")
    assert [told["instructions"] for told in engine.options] == ["", WOMAN, QUICK]

    page.choose("Rosa", INFO.title)
    expect(say).to_be_hidden()
    page.choose("Rosa", DESIGNER.title)
    expect(say).to_have_value(QUICK)

    say.fill("x" * 501)
    page.page.click("#speak-button")
    page.expect_complaint("The instructions are longer than 500 characters.")
    complaints.clear()  # of the 400
    say.fill(QUICK)
    page.page.wait_for_function("words => Object.values(sessionStorage).some((kept) => kept.includes(words))", arg=json.dumps(QUICK))
    page.page.reload()
    page.page.wait_for_function("window.studio?.firstRoom && studio.choice.isSettled && studio.choice.voice === 'Rosa'")
    expect(say).to_have_value(QUICK)

    page.open_tab("History")
    rows = page.page.locator("#history-list li")
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("Instructions: cheerful and quick")
    expect(rows.nth(2)).not_to_contain_text("Instructions")
    page.page.fill("#history-find", "young")
    expect(rows).to_have_count(1)
