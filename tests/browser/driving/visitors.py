"""Visitors: browser profiles that tests use one after the other, each as clean as a new one but for its HTTP cache."""

from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page

__all__ = ["PROCESS_FLAG", "Visitors"]

# Pages of one profile in one renderer, which stays: it keeps the compiled scripts of Gradio's front end, a third of what a view costs.
PROCESS_FLAG = "--process-per-site"
HOST = "http://127.0.0.1"  # whatever the port: a process belongs to a site, which has none


class Visitors:
    """The first visitor of a test, the second, and so on: apart from each other as people are. `leave` ends the test's visits."""

    def __init__(self, browser: Browser):
        self._browser = browser
        self._profiles: list[_Profile] = []
        self._lent: list[_Profile] = []
        self._n_come = 0

    def come(self) -> BrowserContext:
        """A profile without cookies, storage, permissions and pages that a test has opened."""
        if self._n_come == len(self._profiles):
            self._profiles.append(_Profile(self._browser))
        self._n_come += 1
        return self._profiles[self._n_come - 1].context

    def lend(self) -> BrowserContext:
        """Such a profile, which `leave` leaves alone: it stays somebody's until `take_back`."""
        is_free = len(self._profiles) > self._n_come
        self._lent.append(self._profiles.pop() if is_free else _Profile(self._browser))
        return self._lent[-1].context

    def take_back(self) -> None:
        """All that were lent, as clean as `leave` leaves the others."""
        for profile in self._lent:
            profile.clear()
        self._profiles += self._lent
        self._lent.clear()

    def leave(self) -> None:
        """Close every page, and forget whatever was stored."""
        for profile in self._profiles[: self._n_come]:
            profile.clear()
        self._n_come = 0


class _Profile:
    def __init__(self, browser: Browser):
        self.context = browser.new_context()
        self._origins: set[str] = set()
        self.context.on("page", lambda page: page.on("framenavigated", lambda frame: self._origins.add(_origin(frame.url))))
        self._keeper = self._open_keeper()
        self._protocol = self.context.new_cdp_session(self._keeper)

    def clear(self) -> None:
        for page in self.context.pages:
            if page is not self._keeper:
                page.close()
        for origin in self._origins:
            self._protocol.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        self._origins.clear()
        self.context.unroute_all()
        self.context.clear_cookies()
        self.context.clear_permissions()

    def _open_keeper(self) -> Page:
        """A page of the site on which nothing is, so that the site's process stays."""
        keeper = self.context.new_page()
        keeper.route("**/*", lambda route: route.fulfill(body="", content_type="text/html"))
        keeper.goto(HOST)
        return keeper


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
