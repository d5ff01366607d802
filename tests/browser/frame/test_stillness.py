"""A page at which nobody does anything costs next to nothing."""

import pytest

from tests.browser.driving.studio_page import StudioPage

pytestmark = pytest.mark.browser

# Below every script of the page: when the browser was last asked for a frame; how often for one, for news, for events; and how often for
# copies of what cannot change.
COUNT = """(() => {
  window.asked = { frameAt: 0, frames: 0, news: 0, events: 0, copies: 0 };
  const copy = window.structuredClone.bind(window);
  window.structuredClone = (value, options) => { asked.copies += !/object|function/.test(typeof value); return copy(value, options); };
  const ask = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (draw) => {
    asked.frameAt = performance.now();
    asked.frames += !/aborted/.test(draw); // Playwright's own
    return ask(draw);
  };
  const fetchNow = window.fetch.bind(window);
  window.fetch = (address, init) => {
    asked.news += /studio\\/news$/.test(address);
    asked.events += /gradio_api\\/(run|queue|component_server)/.test(address.url ?? address);
    return fetchNow(address, init);
  };
})()"""
RESTED = "([before, milliseconds]) => asked.news >= before + 2 && performance.now() - asked.frameAt > milliseconds"
TWO_TICKS_MILLISECONDS = 3000
QUIET_MILLISECONDS = 200
MOST_FRAMES = 20  # until a new page rests


def test_a_page_that_rests_asks_for_news_alone_draws_no_frame_and_copies_no_words(visit, tone_address):
    page = visit(reduced_motion="no-preference")
    page.add_init_script(COUNT)
    StudioPage(page, tone_address)
    page.wait_for_function(RESTED, arg=[0, 0], polling=100)  # what a new page shows has come
    before, events, copies = page.evaluate("[asked.news, asked.events, asked.copies]")
    page.wait_for_function(RESTED, arg=[before, TWO_TICKS_MILLISECONDS], polling=100)
    assert page.evaluate("[asked.events, asked.copies]") == [events, copies]
    assert page.evaluate("asked.frames") < MOST_FRAMES


def test_a_window_that_nobody_sees_asks_for_nothing_until_somebody_does(visit, tone_address):
    page = visit(reduced_motion="no-preference")
    page.add_init_script(COUNT)
    StudioPage(page, tone_address)
    page.wait_for_function(RESTED, arg=[0, 0], polling=100)
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    page.wait_for_timeout(QUIET_MILLISECONDS)  # what was asked before is answered
    before = page.evaluate("asked.news")
    page.wait_for_timeout(TWO_TICKS_MILLISECONDS)
    assert page.evaluate("asked.news") == before
    page.evaluate("delete document.hidden")
    page.wait_for_function("before => asked.news > before", arg=before, polling=100)
