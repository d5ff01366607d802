"""Figures of the editor of scripts: `python -m studio.measure.page.script_page [--lines 2000 5000]`.

A script of so many lines is opened in Chromium, scrolled by 60,000 pixels, written in, and gone to the end of. Frames: how long each took
while it scrolls by 400 pixels in each, and how many came late (a frame of 60 a second is 16.7 ms; dropped ones are those that a longer
frame takes the place of). Typing: the work of a key, and from the key to the next frame. Heap: of the page's scripts, once garbage is gone.
Drawn: rows that are in the document.
"""

import argparse
import http.client
import json
import random
import statistics
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page

from studio.measure.page.page_probe import PATIENCE_MILLISECONDS, open_browser
from studio.measure.server.machine import describe_machine
from studio.measure.server.server_process import ServerProcess, start_server

__all__ = ["ScriptFigures", "main", "measure"]

PROGRAM = ("-m", "studio.measure.page.page_server", "--journal")
FRAME_MILLISECONDS = 1000 / 60
WORDS = ("the", "lamp", "turned", "slowly", "over", "water", "that", "nobody", "had", "crossed", "for", "weeks")
NAMES = ("ANNA", "BEN", "CARA", "")
CHAPTER_LINES = 50
MOST_WORDS = 30
SCROLL_PIXELS, SCROLLS = 400, 150
KEYS = 60
# Turns a wheel at every frame, and notes how long the frames took.
SCROLL = """([pixels, times]) => new Promise((resolve) => {
  const scroller = document.querySelector(".script-scroller");
  const gaps = [];
  let blank = 0;
  let last = performance.now();
  const frame = (now) => {
    gaps.push(now - last);
    last = now;
    const { top, bottom } = scroller.getBoundingClientRect();
    const seen = [...scroller.querySelectorAll(".line")].filter((line) => {
      const at = line.getBoundingClientRect();
      return at.bottom > top && at.top < bottom;
    });
    const drawn = seen.reduce((sum, line) => sum + line.getBoundingClientRect().height, 0);
    blank += drawn < 0.6 * (bottom - top) ? 1 : 0;
    if (gaps.length >= times) return resolve({ gaps: gaps.slice(1), blank });
    scroller.scrollTop += pixels;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})"""
# One key after the other in a field, each answered by the next frame.
TYPE = """(times) => new Promise((resolve) => {
  const field = document.activeElement;
  const took = [];
  const press = () => {
    if (took.length >= times) return resolve(took);
    const at = performance.now();
    document.execCommand("insertText", false, "x");
    const worked = performance.now() - at;
    requestAnimationFrame(() => setTimeout(() => { took.push([worked, performance.now() - at]); press(); }));
  };
  press();
})"""


@dataclass(frozen=True)
class ScriptFigures:
    """Of one script. Milliseconds, but for counts and bytes. blank: frames in which less than 60 % of the lines' box was drawn."""

    n_lines: int
    opened: float
    frame_p50: float
    frame_p95: float
    frame_most: float
    frames: int
    dropped: int
    blank: int
    key_work_p50: float
    key_work_p95: float
    key_to_frame_p50: float
    key_to_frame_p95: float
    jump: float
    drawn: int
    nodes: int
    heap_bytes: int


def main() -> None:
    """Measure, print a line for each size, and write JSON."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--lines", type=int, nargs="+", default=[2000, 5000])
    parser.add_argument("--slowdown", type=float, default=1, help="of the processor")
    parser.add_argument("--json", type=Path, default=Path("out/script_page.json"))
    options = parser.parse_args()
    figures: dict[str, object] = {"machine": describe_machine(), "slowdown": options.slowdown}
    with (
        tempfile.TemporaryDirectory() as folder,
        start_server(Path(folder) / "speakers", headless=False, program=(*PROGRAM, str(Path(folder) / "journal"))) as server,
        open_browser() as browser,
    ):
        for n_lines in options.lines:
            told = asdict(measure(browser, server, n_lines, options.slowdown))
            figures[str(n_lines)] = told
            print("  ".join(f"{name} {value:.5g}" for name, value in told.items()), flush=True)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(f"figures: {options.json}")


def measure(browser: Browser, server: ServerProcess, n_lines: int, slowdown: float) -> ScriptFigures:
    """Of a new script with so many lines, in a new window."""
    script = _script(server, n_lines)
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(PATIENCE_MILLISECONDS)
    devtools = page.context.new_cdp_session(page)
    page.goto(f"{server.url}/#scripts", wait_until="commit")
    page.wait_for_selector(".script-open")
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    opened = _opening(page, script)
    page.mouse.move(400, 500)
    scrolled = page.evaluate(SCROLL, [SCROLL_PIXELS, SCROLLS])
    page.wait_for_timeout(500)
    typed = _typing(page)
    jump = _jump(page)
    devtools.send("HeapProfiler.collectGarbage")
    heap = devtools.send("Runtime.getHeapUsage")["usedSize"]
    drawn, nodes = page.evaluate("[document.querySelectorAll('.script-lines > .line').length, document.querySelectorAll('*').length]")
    page.context.close()
    gaps = sorted(scrolled["gaps"])
    dropped = sum(max(0, round(gap / FRAME_MILLISECONDS) - 1) for gap in gaps)
    work, frames = ([one[at] for one in typed] for at in (0, 1))
    return ScriptFigures(
        n_lines, opened, _of(gaps, 50), _of(gaps, 95), gaps[-1], len(gaps), dropped, scrolled["blank"],
        _of(work, 50), _of(work, 95), _of(frames, 50), _of(frames, 95), jump, drawn, nodes, int(heap),
    )  # fmt: skip


def _script(server: ServerProcess, n_lines: int) -> str:
    """Its id: chapters of dialogue, lines of one word to MOST_WORDS."""
    chance = random.Random(n_lines)
    lines = []
    for at in range(n_lines):
        text = " ".join(chance.choices(WORDS, k=chance.randint(1, MOST_WORDS))).capitalize() + "."
        is_heading = at % CHAPTER_LINES == 0
        lines.append(
            {"text": f"Chapter {at // CHAPTER_LINES + 1}", "kind": "heading"} if is_heading else {"who": chance.choice(NAMES), "text": text}
        )
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    script = _asked(connection, "", {"text": "One line.", "title": f"{n_lines} lines"})["id"]
    for first in range(0, n_lines - 1, 500):
        _asked(connection, f"/{script}/edits", {"edits": [{"op": "insert", "lines": lines[first : first + 500][: n_lines - 1 - first]}]})
    connection.close()
    return script


def _asked(connection: http.client.HTTPConnection, path: str, body: object) -> dict:
    connection.request("POST", f"/v1/studio/scripts{path}", json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    told = json.loads(answer.read())
    if answer.status >= http.client.BAD_REQUEST:
        raise RuntimeError(f"{path}: {answer.status} {told}")
    return told


def _opening(page: Page, script: str) -> float:
    """Milliseconds from the press on its title until its first lines are there."""
    page.reload(wait_until="commit")
    page.wait_for_selector(f'.script-open[data-key="{script}"]')
    begun = page.evaluate("performance.now()")
    page.click(f'.script-open[data-key="{script}"]')
    page.wait_for_function("document.querySelector('.script-lines > .line:not([data-loading])')", polling=10)
    return page.evaluate("performance.now()") - begun


def _typing(page: Page) -> list[list[float]]:
    page.keyboard.press("Escape")
    page.locator(".script-lines > .line:not([data-aside], [data-loading]) .line-text").nth(8).click()
    return page.evaluate(TYPE, KEYS)


def _jump(page: Page) -> float:
    """Milliseconds from End, in the rows, until the last line is there."""
    page.keyboard.press("Escape")
    begun = page.evaluate("performance.now()")
    page.keyboard.press("End")
    page.wait_for_function(
        """() => {
          const [line] = document.querySelectorAll('.script-lines > .line:last-child');
          return line?.getAttribute("aria-posinset") === line?.getAttribute("aria-setsize") && !line.hasAttribute("data-loading");
        }""",
        polling=10,
    )
    return page.evaluate("performance.now()") - begun


def _of(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


if __name__ == "__main__":
    main()
