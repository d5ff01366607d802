"""A window draws what it is answered in whatever order that comes, and shows what is so in the end."""

import numpy as np
import pytest

from engines.clips.clip import Clip
from studio.speakers.speaker import Enrollment
from studio.ui.gradio import news
from tests.api.door import Gate
from tests.browser.cache.test_cache import TICK_SECONDS, Window
from tests.browser.studios.served_page import served_page
from tests.stand_ins.fake_engine import FakeEngine

pytestmark = pytest.mark.browser

# What follows a press waits for `letGo` with its answer, and every state of the cell is written down.
HOLDING = """cell => {
  const [ask, held, states] = [window.fetch, Promise.withResolvers(), [cell.dataset.state]];
  Object.assign(window, { letGo: held.resolve, isHeld: false, states });
  const note = () => cell.dataset.state === states.at(-1) || states.push(cell.dataset.state);
  new MutationObserver(note).observe(cell, { attributes: true });
  window.fetch = async (address, init) => {
    const number = /run\\/predict/.test(address.url ?? address) ? JSON.parse(init.body).fn_index : null;
    const { targets = [] } = gradio_config.dependencies.find(({ id }) => id === number) ?? {};
    const answer = await ask(address, init);
    if (!targets.some(([, event]) => event === "then")) return answer;
    window.isHeld = true;
    await held.promise;
    return answer;
  };
}"""


def test_an_answer_that_comes_late_is_no_longer_shown_a_while_later(visit, open_studio, monkeypatch):
    """What a window was sent last need not be what it drew last: it is told anew until it shows what is so."""
    monkeypatch.setattr(news, "TICK_SECONDS", TICK_SECONDS)
    extracting = Gate()
    studio = open_studio(FakeEngine(before_extract=extracting), warm_uploads=False)
    studio.load()
    studio.enroll(Enrollment("Ina", "own", clip=Clip(np.random.default_rng(0).uniform(-0.3, 0.3, 48_000).astype(np.float32), 24_000)))
    with served_page(studio) as address:
        window = Window(visit(), address)
        window.expect_state("Ina", "none")
        window.cell("Ina").evaluate(HOLDING)
        window.act("Ina", "Teach")
        window.page.wait_for_function("isHeld")
        extracting.open()
        window.expect_state("Ina", "memory")  # by a tick
        window.page.evaluate("letGo()")
        window.page.wait_for_function("states.lastIndexOf('learning') > states.indexOf('memory')")
        window.expect_state("Ina", "memory")
        window.page.close()  # before the studio, which it would go on asking
