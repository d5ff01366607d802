"""A first and a second visit on a slow line: `python -m studio.measure.page.first_visit [--before CHECKOUT] [--visits 5]`.

Lines are those of Lighthouse (core/config/constants.js, `mobileSlow4G`), laid upon each request by Chromium's own simulation, and the
processor is slowed down. Usable: the text can be changed, Speak can be pressed, and a press of it sends the request for the speech.
With another checkout its page is visited in turn with this one's, since a machine that others use is fast now and slow then.
"""

import argparse
import json
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page

from studio.measure.page.page_probe import PATIENCE_MILLISECONDS, open_browser
from studio.measure.server.machine import describe_machine
from studio.measure.server.server_process import start_server

__all__ = ["Throttle", "Visit", "main", "visit"]

REPOSITORY = Path(__file__).resolve().parents[3]
SETTLED_MILLISECONDS = 2500
KILOBIT = 1000 / 8
WATCH = """
(() => {
  const seen = (window.visitSeen = { paint: null, largest: null, shift: 0, blocked: 0, ready: null });
  const watch = (type, note) => new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  watch("paint", (entry) => entry.name === "first-contentful-paint" && (seen.paint = entry.startTime));
  watch("largest-contentful-paint", (entry) => (seen.largest = entry.startTime));
  watch("layout-shift", (entry) => entry.hadRecentInput || (seen.shift += entry.value));
  watch("longtask", (entry) => (seen.blocked += Math.max(0, entry.duration - 50)));
  const look = () => {
    const [field, button] = ["text", "speak-button"].map((id) => document.getElementById(id));
    if (field && !field.disabled && button && !button.disabled && button.checkVisibility()) seen.ready ??= performance.now();
    else setTimeout(look, 20);
  };
  look();
})();
"""


@dataclass(frozen=True)
class Throttle:
    """Of a visit: a line and a processor. down, up: kilobits a second, 0 for no bound. slowdown: of the processor."""

    name: str
    latency_milliseconds: float
    down: float
    up: float
    slowdown: float


SLOW = Throttle("slow 4G, a quarter of the processor", 150, 1638.4, 750, 4)
FAST = Throttle("loopback", 0, 0, 0, 1)


@dataclass(frozen=True)
class Visit:
    """Milliseconds since the navigation began: first and largest paint, usable; blocked: of tasks, beyond 50 ms each. shift: CLS.

    early_bytes, early_requests: until usable. bytes, requests: until the page rests.
    """

    paint: float
    largest: float
    usable: float
    blocked: float
    shift: float
    early_bytes: int
    early_requests: int
    bytes: int
    requests: int


class _Traffic:
    """What came over the line. It counts what is sent, with its headers, as Chromium counts it."""

    def __init__(self, devtools: CDPSession):
        self.n_bytes, self.n_requests = 0, 0
        devtools.on("Network.requestWillBeSent", self._ask)
        devtools.on("Network.dataReceived", lambda part: self._count(part["encodedDataLength"]))
        devtools.on("Network.responseReceived", lambda come: self._count(come["response"]["encodedDataLength"]))

    def _ask(self, asked: dict) -> None:
        self.n_requests += not asked["request"]["url"].startswith(("data:", "blob:"))

    def _count(self, n_bytes: float) -> None:
        self.n_bytes += max(0, int(n_bytes))


def visit(page: Page, url: str, line: Throttle) -> Visit:
    """One visit in this page, which keeps what its context keeps."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    bounds = {"downloadThroughput": line.down * KILOBIT or -1, "uploadThroughput": line.up * KILOBIT or -1}
    devtools.send("Network.emulateNetworkConditions", {"offline": False, "latency": line.latency_milliseconds, **bounds})
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": line.slowdown})
    traffic = _Traffic(devtools)
    page.goto("about:blank")
    page.goto(url, wait_until="commit", timeout=PATIENCE_MILLISECONDS)
    page.wait_for_function("visitSeen.ready", timeout=PATIENCE_MILLISECONDS, polling=50)
    early = traffic.n_bytes, traffic.n_requests
    page.wait_for_function("window.studio?.firstRoom", timeout=PATIENCE_MILLISECONDS, polling=50)  # any room can be opened
    page.wait_for_timeout(SETTLED_MILLISECONDS)
    seen = page.evaluate("visitSeen")
    devtools.detach()
    return Visit(seen["paint"], seen["largest"], seen["ready"], seen["blocked"], seen["shift"], *early, traffic.n_bytes, traffic.n_requests)


def main() -> None:
    """Visit, print a table of medians, and write JSON."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--before", type=Path, help="another checkout of the studio, visited in turn")
    parser.add_argument("--visits", type=int, default=5, help="of each kind")
    parser.add_argument("--json", type=Path, default=Path("out/first_visit.json"))
    options = parser.parse_args()
    checkouts = {"now": REPOSITORY} | ({"before": options.before.resolve()} if options.before else {})
    figures: dict[str, object] = {"machine": describe_machine()}
    with _served(checkouts) as urls, open_browser() as browser:
        for line in (SLOW, FAST):
            figures[line.name] = _rounds(browser, urls, line, options.visits)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(f"figures: {options.json}")


@contextmanager
def _served(checkouts: dict[str, Path]) -> Iterator[dict[str, str]]:
    """The address of each checkout's studio, with no voice and nothing learned."""
    with ExitStack() as servers:
        folder = Path(servers.enter_context(tempfile.TemporaryDirectory()))
        yield {
            name: servers.enter_context(start_server(folder / name, headless=False, program=(str(checkout / "app.py"),))).url
            for name, checkout in checkouts.items()
        }


def _rounds(browser: Browser, urls: dict[str, str], line: Throttle, n_visits: int) -> dict[str, object]:
    seen: dict[str, list[Visit]] = {}
    for _ in range(n_visits):
        for name, url in urls.items():
            context = browser.new_context(viewport={"width": 1280, "height": 844})
            context.add_init_script(WATCH)
            page = context.new_page()
            for kind in ("first", "again"):
                seen.setdefault(f"{name}, {kind}", []).append(visit(page, url, line))
            context.close()
    figures = {}
    for name, visits in sorted(seen.items()):
        columns = {column: [asdict(one)[column] for one in visits] for column in asdict(visits[0])}
        figures[name] = {column: statistics.median(values) for column, values in columns.items()}
        print(f"{line.name}, {name:<14} " + "  ".join(f"{column} {value:.5g}" for column, value in figures[name].items()), flush=True)
    return figures


if __name__ == "__main__":
    main()
