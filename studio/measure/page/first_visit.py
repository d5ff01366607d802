"""A first and a second visit on a slow line: `python -m studio.measure.page.first_visit [--before CHECKOUT] [--visits 5] [--voices 3]`.

Lines are those of Lighthouse (core/config/constants.js, `mobileSlow4G`), laid upon each request by Chromium's own simulation, and the
processor is slowed down. Usable: the text can be changed and Speak can be pressed; it is pressed then, and what comes of it is counted.
With another checkout its page is visited in turn with this one's, since a machine that others use is fast now and slow then.
"""

import argparse
import http.client
import json
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page

from studio.measure.page.page_probe import PATIENCE_MILLISECONDS, open_browser
from studio.measure.server.http_figures import upload
from studio.measure.server.machine import describe_machine
from studio.measure.server.server_process import ServerProcess, start_server

__all__ = ["Throttle", "Visit", "main", "visit"]

REPOSITORY = Path(__file__).resolve().parents[3]
DEMO = REPOSITORY / "assets" / "voices" / "demo.flac"
SPEECH = "/v1/audio/speech"
SETTLED_MILLISECONDS = 2500
KILOBIT = 1000 / 8
WATCH = """
(() => {
  const seen = (window.visitSeen = { paint: null, largest: null, shift: 0, blocked: 0, ready: null, speeches: 0 });
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
  addEventListener("pointerdown", (event) => (seen.pressed ??= event.timeStamp), true);
  const { fetch } = window;
  window.fetch = async (address, ...more) => {
    if (!new URL(address.url ?? address, document.baseURI).pathname.endsWith(SPEECH)) return fetch(address, ...more);
    seen.speeches += 1;
    seen.sent ??= performance.now();
    const answer = await fetch(address, ...more);
    seen.answered ??= performance.now();
    return answer;
  };
})();
""".replace("SPEECH", json.dumps(SPEECH))


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

    sent, answered: milliseconds from the press of Speak to its request, and to the head of its answer, the speech or a refusal. opened:
    any other room can be. early_bytes, early_requests: over the line until usable. bytes, requests: until the page rests.
    """

    paint: float
    largest: float
    usable: float
    sent: float
    answered: float
    opened: float
    blocked: float
    shift: float
    early_bytes: int
    early_requests: int
    bytes: int
    requests: int


class _Traffic:
    """What came over the line, packed, with its headers, as Chromium counts it; and how many requests went to the studio."""

    def __init__(self, devtools: CDPSession):
        self.n_bytes, self.n_requests = 0, 0
        self._kept: set[str] = set()  # requests that the browser answered itself
        devtools.on("Network.requestWillBeSent", self._ask)
        devtools.on("Network.requestServedFromCache", lambda kept: self._keep(kept["requestId"]))
        devtools.on("Network.responseReceived", self._answer)
        devtools.on("Network.dataReceived", lambda part: self._count(part["requestId"], part["encodedDataLength"]))

    def _ask(self, asked: dict) -> None:
        self.n_requests += asked["request"]["url"].startswith("http")

    def _keep(self, request: str) -> None:
        self.n_requests -= request not in self._kept
        self._kept.add(request)

    def _answer(self, come: dict) -> None:
        if come["response"].get("fromDiskCache"):
            self._keep(come["requestId"])
        self._count(come["requestId"], come["response"]["encodedDataLength"])

    def _count(self, request: str, n_bytes: float) -> None:
        self.n_bytes += max(0, int(n_bytes)) if request not in self._kept else 0


def visit(page: Page, url: str, line: Throttle) -> Visit:
    """One visit in this page, which keeps what its context keeps. Raises RuntimeError unless the press of Speak asks once for a speech."""
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
    page.click("#speak-button")
    page.wait_for_function("visitSeen.answered", timeout=PATIENCE_MILLISECONDS, polling=50)
    page.wait_for_function(
        "window.studio?.firstRoom && (visitSeen.opened ??= performance.now())", timeout=PATIENCE_MILLISECONDS, polling=50
    )
    page.wait_for_timeout(SETTLED_MILLISECONDS)
    seen = page.evaluate("visitSeen")
    devtools.detach()
    if seen["speeches"] != 1:
        raise RuntimeError(f"One press of Speak asked {seen['speeches']} times for a speech.")
    sent, answered = (seen[when] - seen["pressed"] for when in ("sent", "answered"))
    moments = seen["paint"], seen["largest"], seen["ready"], sent, answered, seen["opened"]
    return Visit(*moments, seen["blocked"], seen["shift"], *early, traffic.n_bytes, traffic.n_requests)


def main() -> None:
    """Visit, print a table of medians, and write JSON."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--before", type=Path, help="another checkout of the studio, visited in turn")
    parser.add_argument("--visits", type=int, default=5, help="of each kind")
    parser.add_argument("--voices", type=int, default=0, help="in each studio")
    parser.add_argument("--hash", default="", help="of the address, as #speak")
    parser.add_argument("--json", type=Path, default=Path("out/first_visit.json"))
    options = parser.parse_args()
    checkouts = {"now": REPOSITORY} | ({"before": options.before.resolve()} if options.before else {})
    figures: dict[str, object] = {"machine": describe_machine()}
    with _served(checkouts, options.voices) as urls, open_browser() as browser:
        for line in (SLOW, FAST):
            figures[line.name] = _rounds(browser, {name: f"{url}/{options.hash}" for name, url in urls.items()}, line, options.visits)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(f"figures: {options.json}")


@contextmanager
def _served(checkouts: dict[str, Path], n_voices: int) -> Iterator[dict[str, str]]:
    """The address of each checkout's studio, with so many voices and nothing learned."""
    with ExitStack() as servers:
        folder = Path(servers.enter_context(tempfile.TemporaryDirectory()))
        started = {
            name: servers.enter_context(start_server(folder / name, headless=False, program=(str(checkout / "app.py"),)))
            for name, checkout in checkouts.items()
        }
        for server in started.values():
            _make_voices(server, n_voices)
        yield {name: server.url for name, server in started.items()}


def _make_voices(server: ServerProcess, n_voices: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for number in range(n_voices):
        upload(connection, f"Voice {number + 1}", DEMO.read_bytes())
    connection.close()


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
