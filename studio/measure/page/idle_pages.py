"""Cost of open pages that nobody uses: `python -m studio.measure.page.idle_pages [--pages 4] [--seconds 30]`.

The unit is a share of one core per page.

The studio is `app.py` with all engines of the catalogue and an empty folder. Opening a page is counted apart: processor time of the browser
until the page has been at rest for a while. Needs Linux, whose /proc has the server's processor time.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page

from studio.measure.page.page_probe import open_browser
from studio.measure.server.machine import describe_machine
from studio.measure.server.server_process import ServerProcess, start_server

__all__ = ["main"]

READY = "window.studio?.firstRoom && studio.speaking"
SETTLED_SECONDS = 5.0


def main() -> None:
    """Print a line for the server, for the browser, and for opening."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--pages", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=30.0, help="of rest, without pages and with them")
    options = parser.parse_args()
    print(json.dumps(describe_machine()))
    with tempfile.TemporaryDirectory() as folder, start_server(Path(folder), headless=False) as server, open_browser() as browser:
        _open(browser, server).close()  # the server has met a page, and the browser has its scripts
        time.sleep(SETTLED_SECONDS)
        alone = _share(server.processor_seconds, options.seconds)
        before = _browser_seconds(browser)
        pages = [_open(browser, server) for _ in range(options.pages)]
        pages[-1].wait_for_timeout(SETTLED_SECONDS * 1000)
        opening = (_browser_seconds(browser) - before) / options.pages
        began, before = server.processor_seconds(), _browser_seconds(browser)
        pages[-1].wait_for_timeout(options.seconds * 1000)
        served = (server.processor_seconds() - began) / options.seconds
        shown = (_browser_seconds(browser) - before) / options.seconds / options.pages
        print(f"server: without pages {alone:.2%} of a core, each page {(served - alone) / options.pages:.2%}")
        print(f"browser: each page {shown:.2%} of a core, opening one {opening:.2f} s")


def _open(browser: Browser, server: ServerProcess) -> Page:
    page = browser.contexts[0].new_page() if browser.contexts else browser.new_context().new_page()
    page.goto(server.url)
    page.wait_for_function(READY)
    return page


def _share(read_seconds: Callable[[], float], seconds: float) -> float:
    before = read_seconds()
    time.sleep(seconds)
    return (read_seconds() - before) / seconds


def _browser_seconds(browser: Browser) -> float:
    """Processor time of all its processes by now."""
    devtools = browser.new_browser_cdp_session()
    processes = devtools.send("SystemInfo.getProcessInfo")["processInfo"]
    devtools.detach()
    return sum(process["cpuTime"] for process in processes)


if __name__ == "__main__":
    main()
