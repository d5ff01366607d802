"""KeptPages: pages that the tests of one file use one after the other, since opening one costs a second of a processor."""

from collections.abc import Callable, Mapping

from playwright.sync_api import Page

from tests.browser.driving.complaints import hear_errors, hear_strangers
from tests.browser.driving.studio_page import PATIENCE_MILLISECONDS
from tests.browser.driving.visitors import Visitors

__all__ = ["KeptPages"]


class KeptPages:
    """A page by each name, each of another visitor. Whoever uses one again brings it back to where a new one begins."""

    def __init__(self, media: Mapping[str, str]):
        """media: as `Page.emulate_media` takes it."""
        self._media = media
        self._complaints: list[str] = []
        self._visitors: Visitors | None = None
        self._opened: dict[str, object] = {}

    def begin(self, visitors: Visitors, complaints: list[str]) -> None:
        """A test, which is told of what any of the pages does from now on that it may not."""
        self._visitors, self._complaints = visitors, complaints

    def complain(self, said: str) -> None:
        """To the test that is running."""
        self._complaints.append(said)

    def get(self, name: str, address: str, opening: Callable[[Page], object]):
        """What `opening` makes of a new page, or made of it when it was asked for first. address: the only host that it may ask."""
        if name not in self._opened:
            page = self._visitors.lend().new_page()
            page.set_default_timeout(PATIENCE_MILLISECONDS)
            page.set_viewport_size({"width": 1280, "height": 844})
            page.emulate_media(**self._media)
            hear_errors(page, self.complain)
            hear_strangers(page, address, self.complain)
            self._opened[name] = opening(page)
        return self._opened[name]

    def __contains__(self, name: str) -> bool:
        return name in self._opened

    def close(self) -> None:
        """All of them; names are free again."""
        self._opened.clear()
        if self._visitors:
            self._visitors.take_back()
