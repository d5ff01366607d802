"""Claims about our style sheets after Gradio has rewritten them: each rule again for what lies in .contain, cut at every comma."""

import pytest

from studio.ui.web import STYLES

pytestmark = pytest.mark.browser

# Rules of `texts` that have no rule in the page with the same words and declarations ("gone"), and those of an @media that reach less of
# the page than they say ("narrower"): of these Gradio keeps its copy alone. Rules of other kinds it drops.
LOST = """(texts) => {
  const leaves = (rules, media) => [...rules].flatMap((rule) => {
    if (rule instanceof CSSMediaRule) return leaves(rule.cssRules, rule.media.mediaText);
    if (rule instanceof CSSStyleRule) return [{ media, selector: rule.selectorText, style: rule.style.cssText }];
    return rule instanceof CSSKeyframesRule ? [] : [{ media, selector: rule.cssText.slice(0, 60), style: "" }];
  });
  // A pseudo-element cannot be looked up; what has it can.
  const bare = (words) => words.replace(/(^|[\\s,>+~])::[\\w-]+/g, "$1*").replace(/::[\\w-]+/g, "");
  const open = (sheet) => { try { return leaves(sheet.cssRules, ""); } catch { return []; } };
  const shown = [...document.styleSheets].flatMap(open);
  const lost = [];
  for (const text of texts) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    for (const { media, selector, style } of leaves(sheet.cssRules, "")) {
      const same = shown.filter((rule) => rule.media === media && rule.style === style);
      if (!same.some((rule) => media || rule.selector === selector)) {
        lost.push(`gone: ${media} ${selector}`);
        continue;
      }
      if (selector.startsWith("*")) continue; // of everything, Gradio keeps everything in .contain
      const reached = new Set(same.flatMap((rule) => [...document.querySelectorAll(bare(rule.selector))]));
      const meant = [...document.querySelectorAll(bare(selector))];
      const missed = meant.find((element) => !reached.has(element));
      if (missed) lost.push(`narrower: @media ${media} ${selector} does not reach ${missed.cloneNode().outerHTML.slice(0, 80)}`);
    }
  }
  return lost;
}"""
CUT = """(texts) => texts.flatMap((text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  const selectors = (rules) => [...rules].flatMap((rule) => [rule.selectorText ?? "", ...selectors(rule.cssRules ?? [])]);
  return selectors(sheet.cssRules).filter((selector) => /\\([^()]*,/.test(selector));
})"""


@pytest.fixture
def texts() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in STYLES]


def test_no_rule_of_ours_is_lost_or_reaches_less_than_it_says(open_page, full_address, texts):
    page = open_page(full_address)
    lost = []
    for tab in ("Voices", "Create voice", "Speak", "Cache & models", "History", "API"):
        page.open_tab(tab)
        lost += page.page.evaluate(LOST, texts)
    assert sorted(set(lost)) == []


def test_no_selector_of_ours_has_a_comma_where_gradio_would_cut_it(open_page, full_address, texts):
    assert open_page(full_address).page.evaluate(CUT, texts) == []
