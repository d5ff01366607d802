"""PageProbe: one tab of the studio in Chromium. It records what goes to the loudspeaker, and watches the frames."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypedDict

from playwright.sync_api import Browser, Page, sync_playwright

from studio.measure.page.chromium import FLAGS, find_chromium

__all__ = ["Frames", "PageProbe", "Press", "open_browser"]

PATIENCE_MILLISECONDS = 60_000
SETTLED_MILLISECONDS = 300
MEMORY_FLAG = "--enable-precise-memory-info"
# The tap is an AudioWorklet between the player and the destination. It tells when it was handed the first sample above 0.01, which is
# what the machine is about to play: the buffer and the latency of the device (some 40 ms) come after it, for every player alike.
# A worklet has no clock but Date.now(), in whole milliseconds; the page's clock is compared with it at the press.
TAP = """
class Tap extends AudioWorkletProcessor {
  constructor() {
    super();
    this.port.onmessage = () => (this.heard = false);
  }
  process([[input]], [[output]]) {
    if (!input) return true;
    output.set(input);
    const index = this.heard ? -1 : input.findIndex((sample) => Math.abs(sample) > 0.01);
    if (index >= 0) {
      this.heard = true;
      this.port.postMessage(Date.now() + (1000 * index) / sampleRate);
    }
    return true;
  }
}
registerProcessor("tap", Tap);
"""
WATCH = """
(() => {
  const probe = (window.probe = { press: null, heard: null, stopped: null, gaps: [], tasks: [], longFrames: [] });
  const source = URL.createObjectURL(new Blob([TAP_SOURCE], { type: "text/javascript" }));
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (to, ...more) {
    if (!(to instanceof AudioDestinationNode)) return connect.call(this, to, ...more);
    connect.call(this, to);
    to.context.audioWorklet.addModule(source).then(() => {
      const tap = new AudioWorkletNode(to.context, "tap");
      tap.port.onmessage = ({ data }) => (probe.heard = data - probe.skew);
      this.disconnect(to);
      connect.call(this, tap);
      connect.call(tap, to);
      probe.tap = tap;
    });
    return to;
  };
  addEventListener("click", (event) => {
    const button = event.target.closest("#speak-button");
    if (!button) return;
    if (button.dataset.active === "true") return (probe.stopped = event.timeStamp);
    probe.skew = Date.now() - performance.now();
    Object.assign(probe, { press: event.timeStamp, heard: null, stopped: null });
    probe.tap?.port.postMessage("again");
  }, true);
  const note = (list) => (entries) => {
    for (const entry of entries.getEntries()) list.push(entry);
  };
  new PerformanceObserver(note(probe.tasks)).observe({ type: "longtask" });
  new PerformanceObserver(note(probe.longFrames)).observe({ type: "long-animation-frame" });
  let last = null;
  const frame = (now) => {
    if (last !== null) probe.gaps.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})();
""".replace("TAP_SOURCE", json.dumps(TAP))
CULPRITS = """entries => entries.sort((one, other) => other.duration - one.duration).slice(0, 3).map((entry) => ({
  milliseconds: entry.duration,
  scripts: entry.scripts.map((script) => `${script.sourceURL.split("/").at(-1)} ${script.sourceFunctionName || script.invoker} ` +
    `${Math.round(script.duration)} ms`),
  styleMilliseconds: entry.styleAndLayoutStart ? entry.startTime + entry.duration - entry.styleAndLayoutStart : 0,
}))"""


FORGET = "() => { probe.gaps.length = probe.tasks.length = probe.longFrames.length = 0; }"
# The whole player with one of its two pictures; it may be before anything was heard.
SHOW_VIEW = """(view) => {
  const unfold = document.querySelector("#player-unfold");
  if (unfold.getAttribute("aria-expanded") !== "true") unfold.click();
  document.querySelector(`#player-view [data-view=${view}]`).click();
}"""
STOP_SEEN = """() => {
  const button = document.querySelector("#speak-button");
  window.stopSeen = new Promise((resolve) => {
    const look = () => button.textContent.trim() === "Speak" && resolve(performance.now());
    new MutationObserver(look).observe(button, { childList: true, subtree: true });
  });
}"""


@dataclass(frozen=True)
class Press:
    """One press of Speak, in milliseconds from the click: the tap's first sample, the page's own figure for it, and the underruns."""

    heard: float
    shown: float
    underruns: int


class Culprit(TypedDict):
    """A long frame."""

    milliseconds: float
    scripts: list[str]


@dataclass(frozen=True)
class Frames:
    """What some seconds did to the page, in milliseconds: the longest gap between two frames, the longest task (0: none above 50).

    culprits: the longest of the frames that took more than 50, with the scripts in them. A long frame without one waited for the processor.
    """

    longest_gap: float
    longest_task: float
    frames: int
    culprits: list[Culprit]


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Chromium of the system, without a window. Raises RuntimeError where there is none."""
    path = find_chromium()
    if path is None:
        raise RuntimeError("There is no Chromium on PATH. `make browser` installs one.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, MEMORY_FLAG])
        try:
            yield browser
        finally:
            browser.close()


class PageProbe:
    """A tab of its own, filled and usable. transport: "fetch" or "gradio"."""

    def __init__(self, browser: Browser, url: str, transport: str):
        self._browser = browser
        self.context = browser.new_context(viewport={"width": 1280, "height": 844})
        self.page: Page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.add_init_script(WATCH)
        self.page.goto(f"{url}/?transport={transport}", wait_until="commit")
        self.page.wait_for_function(
            "window.studio?.firstRoom && studio.speaking && studio.choice.known.engine", timeout=PATIENCE_MILLISECONDS
        )
        self.usable_milliseconds: float = self.page.evaluate("performance.now()")
        self.page.click("#speak-section-button")  # a studio without voices opens on Voices
        self._devtools = self.context.new_cdp_session(self.page)

    def close(self) -> None:
        self.context.close()

    def set_pace(self, **options: float) -> None:
        """ttfp, rtf, chunk_samples."""
        self.page.evaluate("options => studio.options.write(options)", options)

    def write(self, text: str) -> None:
        self.page.get_by_label("Text", exact=True).fill(text)

    def speak(self) -> Press:
        """Press Speak and listen to the end."""
        self.begin()
        self.wait_for_end()
        heard, shown, underruns = self.page.evaluate(
            "[probe.heard - probe.press, studioPlayer.session.firstSoundMilliseconds, studioPlayer.session.underruns]"
        )
        return Press(heard, shown, underruns)

    def begin(self) -> None:
        """Press Speak, and return when there is sound."""
        self.page.click("#speak-button")
        self.page.wait_for_function("probe.heard !== null || !probe.tap && studioPlayer.state !== 'waiting'", timeout=PATIENCE_MILLISECONDS)

    def wait_for_end(self) -> None:
        self.page.wait_for_function("studioPlayer.state === 'ended'", timeout=PATIENCE_MILLISECONDS)

    def stop(self) -> tuple[float, float]:
        """Press Stop; the click's time (seconds since 1970), and the milliseconds from it until the button said Speak again."""
        self.page.evaluate(STOP_SEEN)
        self.page.click("#speak-button")
        reacted, pressed, origin = self.page.evaluate("async () => [await stopSeen, probe.stopped, Date.now() - performance.now()]")
        return (origin + pressed) / 1000, reacted - pressed

    def show_spectrogram(self, shown: bool) -> None:
        self.page.evaluate(SHOW_VIEW, "spectrogram" if shown else "wave")

    def frames_of_a_stream(self) -> Frames:
        """Press Speak, and watch the page from the first sound to the end of the sound."""
        self.begin()
        self.page.evaluate(FORGET)
        self.wait_for_end()
        return self._frames()

    def frames_of_rest(self, seconds: float) -> Frames:
        """The same of a page that nobody touches: what the machine does to it by itself."""
        self.page.evaluate(FORGET)
        self.page.wait_for_timeout(seconds * 1000)
        return self._frames()

    def processor_of_a_stream(self) -> tuple[float, float]:
        """Press Speak, and trace the page's thread until the end of the sound: processor time of its longest task in milliseconds, and its
        share of one core. What the machine does to the page meanwhile is not in it.
        """
        browser = self._browser
        self.begin()
        browser.start_tracing(page=self.page, categories=["toplevel"])
        self.wait_for_end()
        events = json.loads(browser.stop_tracing())["traceEvents"]
        pages = {(one["pid"], one["tid"]) for one in events if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"}
        tasks = [one for one in events if one["name"].endswith("RunTask") and (one["pid"], one["tid"]) in pages and "tdur" in one]
        seconds = (max(one["ts"] for one in tasks) - min(one["ts"] for one in tasks)) / 1e6
        return max(one["tdur"] for one in tasks) / 1000, sum(one["tdur"] for one in tasks) / 1e6 / seconds

    def _frames(self) -> Frames:
        gaps = self.page.evaluate("[...probe.gaps]")
        self.page.wait_for_timeout(SETTLED_MILLISECONDS)  # the browser tells of tasks and frames a little later
        tasks, culprits = self.page.evaluate(f"[probe.tasks.map((task) => task.duration), ({CULPRITS})(probe.longFrames)]")
        return Frames(max(gaps), max(tasks, default=0.0), len(gaps), culprits)

    def heap_bytes(self) -> int:
        """JavaScript's heap after a collection."""
        for _ in range(2):  # what finalizers let go is collected by the second
            self._devtools.send("HeapProfiler.collectGarbage")
        return int(self._devtools.send("Runtime.getHeapUsage")["usedSize"])
