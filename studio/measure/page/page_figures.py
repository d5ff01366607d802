"""Figures of the page: `python -m studio.measure.page.page_figures`.

It measures click to sound, freezes, Stop, memory and first load, in Chromium.

The engine behind it sleeps, so that what is measured is the studio, the browser and the way between them, on one machine.

Click to sound: from the click's own time stamp to the first sample above 0.01 that a tap in front of the loudspeaker is handed, minus the
engine's time to first packet as it was set. In it: the page's work, the request, the server, the way back, the player's lead. Not in it:
the buffer and the latency of the device, some 10 and 32 ms for Chromium without a sound card, the same for every player.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser

from studio.measure.page.page_probe import Frames, PageProbe, open_browser
from studio.measure.page.page_server import read_journal
from studio.measure.server.machine import describe_machine, spread
from studio.measure.server.server_process import ServerProcess, start_server

__all__ = ["main"]

TRANSPORTS = ("fetch", "gradio")
TTFP_MILLISECONDS = 100.0
PACE = {"ttfp": TTFP_MILLISECONDS / 1000, "rtf": 0.25, "chunk_samples": 1920}
SENTENCE = "A sentence of fifty characters is two and a half s"  # 2.5 s
SHORT = "Words"  # 0.25 s
LONG = "On and on. " * 20  # 11 s
ENDLESS = "On and on. " * 400
SECOND_PRESS_MILLISECONDS = 400  # so soon after Speak the page takes no press for Stop
STOP_EVERY_MILLISECONDS = 37.0  # later than the last time, so that no rhythm of the engine is met
WARM_UP = 3
SOAK_WARM_UP = 20  # the table of runs is full by then, and keeps no more
VIEWS = ("waveform", "spectrogram")
REST_SECONDS = 10.0
SETTLED_MILLISECONDS = 500  # what comes after the page is usable counts as well


def main() -> None:
    """Measure what was asked for (everything, unless named), print a table and write JSON."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--only", choices=list(PARTS), action="append", help="this part alone; may be said more than once")
    parser.add_argument("--presses", type=int, default=40, help="for each transport")
    parser.add_argument("--stops", type=int, default=15, help="for each transport")
    parser.add_argument("--rounds", type=int, default=3, help="streams watched, for each transport and view")
    parser.add_argument("--speaks", type=int, default=200, help="in one tab, for memory")
    parser.add_argument("--visits", type=int, default=5, help="first visits")
    parser.add_argument("--json", type=Path, default=Path("out/page.json"))
    options = parser.parse_args()
    figures: dict[str, object] = {"machine": describe_machine()}
    print(json.dumps(figures["machine"]))
    with _stand() as (server, browser, journal):
        for name in options.only or PARTS:
            measure, counted = PARTS[name]
            figures[name] = measure(server, browser, journal, getattr(options, counted))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(f"figures: {options.json}")


@contextmanager
def _stand() -> Iterator[tuple[ServerProcess, Browser, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "journal"
        program = ("-m", "studio.measure.page.page_server", "--journal", str(journal))
        with start_server(Path(folder) / "speakers", headless=False, program=program) as server, open_browser() as browser:
            yield server, browser, journal


@contextmanager
def _tabs(server: ServerProcess, browser: Browser, text: str) -> Iterator[dict[str, PageProbe]]:
    """One for each transport, warmed up."""
    tabs = {transport: PageProbe(browser, server.url, transport) for transport in TRANSPORTS}
    for tab in tabs.values():
        tab.set_pace(**PACE | {"ttfp": 0.0})
        tab.write(SHORT)
        for _ in range(WARM_UP):
            tab.speak()
        tab.set_pace(**PACE)
        tab.write(text)
    yield tabs
    for tab in tabs.values():
        tab.close()


def _click_to_sound(server: ServerProcess, browser: Browser, journal: Path, n_presses: int) -> dict[str, object]:
    with _tabs(server, browser, SHORT * 2) as tabs:
        rounds = [{transport: tab.speak() for transport, tab in tabs.items()} for _ in range(n_presses)]
    figures = {}
    for transport in TRANSPORTS:
        presses = [press[transport] for press in rounds]
        figures[transport] = {
            "own_milliseconds": spread([press.heard - TTFP_MILLISECONDS for press in presses]),
            "shown_minus_heard_milliseconds": spread([press.shown - press.heard for press in presses]),
            "underruns": sum(press.underruns for press in presses),
        }
        own, differs = figures[transport]["own_milliseconds"], figures[transport]["shown_minus_heard_milliseconds"]
        print(
            f"click to sound minus the engine, {transport:<6}  {_words(own)}   the page says {differs['p50']:+.1f} ms"
            f"   underruns {figures[transport]['underruns']}",
            flush=True,
        )
    return figures


def _freezes(server: ServerProcess, browser: Browser, journal: Path, n_rounds: int) -> dict[str, object]:
    """Streams of 11 s in chunks of 80 ms, and between them the same page at rest, which tells what the machine adds."""
    seen: dict[str, list[Frames]] = {}
    with _tabs(server, browser, LONG) as tabs:
        for _ in range(n_rounds):
            for view, transport in product(VIEWS, TRANSPORTS):
                tabs[transport].show_spectrogram(view == "spectrogram")
                seen.setdefault(f"{transport} {view}", []).append(tabs[transport].frames_of_a_stream())
            seen.setdefault("at rest", []).append(tabs["fetch"].frames_of_rest(REST_SECONDS))
        own = {f"{transport} {view}": _own_work(tabs[transport], view) for view in VIEWS for transport in TRANSPORTS}
    for name, frames in seen.items():
        gaps = " ".join(f"{one.longest_gap:.0f}" for one in frames)
        task = max(one.longest_task for one in frames)
        print(f"longest gaps between frames, {name:<18}  {gaps} ms   longest task {task:.0f} ms", flush=True)
        for culprit in [culprit for one in frames for culprit in one.culprits if culprit["scripts"]]:
            print(f"    {culprit['milliseconds']:.0f} ms: {', '.join(culprit['scripts'])}")
    for name, (longest, share) in own.items():
        print(f"longest task by its own processor time, {name:<18}  {longest:.1f} ms   {share:.0%} of a core", flush=True)
    return {**{name: [asdict(one) for one in frames] for name, frames in seen.items()}, "processor": own}


def _own_work(tab: PageProbe, view: str) -> tuple[float, float]:
    tab.show_spectrogram(view == "spectrogram")
    return tab.processor_of_a_stream()


def _stops(server: ServerProcess, browser: Browser, journal: Path, n_stops: int) -> dict[str, object]:
    noted: dict[str, dict[str, list[float]]] = {transport: {"button": [], "engine": []} for transport in TRANSPORTS}
    with _tabs(server, browser, ENDLESS) as tabs:
        for number in range(n_stops):
            for transport, tab in tabs.items():
                _stop_once(tab, journal, number, noted[transport])
    figures: dict[str, object] = {}
    for transport, one in noted.items():
        button, engine = spread(one["button"]), spread(one["engine"])
        figures[transport] = {"button_milliseconds": button, "engine_milliseconds": engine}
        print(f"Stop, {transport:<6}  the button {_words(button)}   the engine {_words(engine)}", flush=True)
    return figures


def _stop_once(tab: PageProbe, journal: Path, number: int, noted: dict[str, list[float]]) -> None:
    """rtf 1: the engine is busy all the time, and not far ahead of the listener."""
    tab.page.bring_to_front()
    before = len(read_journal(journal))
    tab.set_pace(**PACE | {"rtf": 0.9})
    tab.begin()
    tab.page.wait_for_timeout(SECOND_PRESS_MILLISECONDS + number * STOP_EVERY_MILLISECONDS % 160)
    pressed, reacted = tab.stop()
    until = time.monotonic() + 10
    while len(journaled := read_journal(journal)) == before:
        if time.monotonic() > until:
            raise RuntimeError("the engine goes on")
        time.sleep(0.005)
    noted["button"].append(reacted)
    noted["engine"].append((journaled[-1]["left"] - pressed) * 1000)


def _memory(server: ServerProcess, browser: Browser, journal: Path, n_speaks: int) -> dict[str, object]:
    figures = {}
    for transport in TRANSPORTS:
        tab = PageProbe(browser, server.url, transport)
        tab.set_pace(**PACE | {"ttfp": 0.0, "rtf": 0.0})
        tab.write(SHORT)
        sizes = []
        for number in range(SOAK_WARM_UP + n_speaks):
            if number == SOAK_WARM_UP:
                sizes.append((tab.heap_bytes(), server.memory_bytes()))
            tab.speak()
        sizes.append((tab.heap_bytes(), server.memory_bytes()))
        tab.close()
        heap, resident = ((end - start) / 1e6 for start, end in zip(*sizes, strict=True))
        figures[transport] = {"speaks": n_speaks, "heap_megabytes": heap, "server_megabytes": resident, "heap_at_end": sizes[1][0] / 1e6}
        print(
            f"{n_speaks} speaks in one tab, {transport:<6}  heap {heap:+.2f} MB to {sizes[1][0] / 1e6:.1f}   server {resident:+.1f} MB",
            flush=True,
        )
    return figures


def _first_load(server: ServerProcess, browser: Browser, journal: Path, n_visits: int) -> dict[str, object]:
    usable, foreign, complaints, n_requests = [], [], [], 0
    for number in range(n_visits):
        tab = PageProbe(browser, server.url, TRANSPORTS[number % 2])
        tab.page.wait_for_timeout(SETTLED_MILLISECONDS)
        usable.append(tab.usable_milliseconds)
        foreign += [url for url in tab.requests if not url.startswith((server.url, "data:", "blob:"))]
        complaints += tab.complaints
        n_requests = len(tab.requests)
        tab.close()
    took = spread(usable)
    print(
        f"first load, usable after {_words(took)}   {n_requests} requests, {len(foreign)} to other hosts   errors {complaints}", flush=True
    )
    return {"usable_milliseconds": took, "requests": n_requests, "foreign": foreign, "complaints": complaints}


def _words(milliseconds: dict[str, float]) -> str:
    p50, p95, most, n = (milliseconds[name] for name in ("p50", "p95", "greatest", "n"))
    return f"p50 {p50:6.1f}  p95 {p95:6.1f}  most {most:6.1f} ms (n {n})"


PARTS = {
    "first load": (_first_load, "visits"),
    "click to sound": (_click_to_sound, "presses"),
    "stop": (_stops, "stops"),
    "freezes": (_freezes, "rounds"),
    "memory": (_memory, "speaks"),
}

if __name__ == "__main__":
    main()
