"""What is wrong with a part of the page as it is seen: accessibility by axe, and sideways scrolling."""

from playwright.sync_api import Page

from tests.browser.frame.test_accessibility import OPTIONS, SCHEMES

__all__ = ["wrong_in_sight"]


def wrong_in_sight(page: Page, part: str, state: str) -> list[str]:
    """Wide and light, narrow and dark. part: a selector; state: what it is called where something is wrong. The page has axe."""
    wrong = []
    for width, scheme in SCHEMES.items():
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wrong.append(f"{state}, {width}: scrolls sideways")
        for found in page.evaluate("([part, options]) => axe.run(part, options)", [part, OPTIONS])["violations"]:
            wrong.append(f"{state}, {width}: {found['id']} {[node['target'][-1] for node in found['nodes'][:3]]}")
    page.set_viewport_size({"width": 1280, "height": 844})
    return wrong
