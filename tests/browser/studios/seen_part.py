"""What is wrong with a part of the page as it is seen: accessibility by axe, and sideways scrolling."""

from playwright.sync_api import Page

__all__ = ["BOTH", "OPTIONS", "SCHEMES", "show", "wrong_in_sight"]

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# None of the rules reads style sheets, which axe would fetch and read again at every look.
# Colors are judged below a pseudo-element as well, which axe would leave to a person, without a search of every ancestor of every text.
JUDGED = {"color-contrast": {"options": {"ignorePseudo": True}}}
BOTH = {"resultTypes": ["violations"], "preload": {"assets": ["media"]}, "checks": JUDGED}
SPOKEN = {"label-content-name-mismatch": {"enabled": True}}  # experimental, so that no tag asks for it: who says what is seen is understood
OPTIONS = BOTH | {"runOnly": {"type": "tag", "values": RULES}, "rules": SPOKEN}
SCHEMES = {1280: "light", 390: "dark"}  # by width
IS_DARK = "is_dark => document.body.classList.contains('dark') === is_dark"


def show(page: Page, width: int, scheme: str) -> None:
    """As wide, and in that color scheme, which Gradio's page follows a frame later."""
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.wait_for_function(IS_DARK, arg=scheme == "dark")


def wrong_in_sight(page: Page, part: str, state: str) -> list[str]:
    """Wide and light, narrow and dark. part: a selector; state: what it is called where something is wrong. The page has axe."""
    wrong = []
    for width, scheme in SCHEMES.items():
        show(page, width, scheme)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wrong.append(f"{state}, {width}: scrolls sideways")
        for found in page.evaluate("([part, options]) => axe.run(part, options)", [part, OPTIONS])["violations"]:
            wrong.append(f"{state}, {width}: {found['id']} {[node['target'][-1] for node in found['nodes'][:3]]}")
    page.set_viewport_size({"width": 1280, "height": 844})
    return wrong
