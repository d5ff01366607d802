"""What a text takes of the visitor's GPU time is said below it, before the press, where a GPU is lent, and nowhere else."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from studio.service import Studio
from studio.settings import Settings
from tests.browser.studios.served_page import served_page
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.stand_ins.zero_gpu_host import ZeroGpuHost

pytestmark = pytest.mark.browser

LENT = replace(INFO, id="lent", title="Lent", wants_gpu=True)


@pytest.fixture
def lender(tmp_path) -> Iterator[str]:
    """The address of a studio with an engine that is lent its GPU, and another one."""
    host, infos = ZeroGpuHost(), {info.id: info for info in (LENT, INFO)}
    settings = Settings(speakers_dir=tmp_path, default_engine="lent", zero_gpu=True)
    studio = Studio(settings, infos=infos, open_engine=lambda name: FakeEngine(infos[name]), gpu_host=host.zero_gpu())
    with served_page(studio) as address:
        yield address
    studio.close()
    host.close()


def test_a_lent_engine_tells_what_a_text_takes_and_another_engine_does_not(lender, open_page, complaints):
    page = open_page(lender, transport="fetch").page
    cost, text = page.locator("#gpu-cost"), page.get_by_label("Text", exact=True)
    text.fill("Dr. Ana came home. Was it late?")
    expect(cost).to_contain_text("about 10 s of your GPU time")
    expect(cost).to_contain_text("5 with one and 40 with PRO")
    text.fill("")
    expect(cost).to_be_hidden()
    text.fill("Was it late?")
    expect(cost).to_be_visible()
    page.evaluate("studio.choice.choose({ engine: 'fake' })")
    expect(cost).to_be_hidden()
    assert not complaints
