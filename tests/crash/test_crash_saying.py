"""A studio that is killed while it says a script loses no line that it kept, and says none of those again."""

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

from studio.scripts.keep.queue import QueuedLine
from tests.crash.crash_saying import opened_studio
from tests.processes.warm_process import process_of
from tests.spoken_scripts.saying.said_scripts import made
from tests.stand_ins.fake_engine import FakeEngine

SCRIPT = Path(__file__).with_name("crash_saying.py")
N_LINES, N_TAKES, N_KILLS = 12, 2, 3


def test_a_studio_killed_in_mid_line_goes_on_and_says_nothing_twice(tmp_path):
    studio = opened_studio(tmp_path, FakeEngine())
    script = made(studio, *(f"This is {chr(ord('a') + n)}." for n in range(N_LINES)))
    rows = [QueuedLine(line, N_TAKES, force=True, choose=False) for line in studio.scripts.line_ids(script)]
    studio.scripts._folder.store.enqueue(script, rows)
    studio.close()
    begun: list[str] = []
    for kill in range(N_KILLS + 1):
        asked = [sys.executable, str(SCRIPT), str(tmp_path)]
        with process_of(asked, warm=["tests.crash.crash_saying"], stdout=subprocess.PIPE, text=True) as child:
            for _ in range(random.randrange(1, 7) if kill < N_KILLS else 0):
                begun.append(child.stdout.readline().strip())
            if kill < N_KILLS:
                child.kill()  # at whatever it is by now: speaking, writing the sound, or the database
            begun += child.stdout.read().split("\n")
        kept = _kept(tmp_path, script)
        assert kept == sorted(kept, reverse=True), "in order, and one line at a time"
    assert begun[-2:] == ["done", ""] and kept == N_LINES * [N_TAKES]
    said = Counter(filter(None, begun[:-2]))
    assert sum(said.values()) - N_LINES * N_TAKES <= N_KILLS, "beside what was under way at a kill nothing is said again"


def _kept(folder: Path, script: str) -> list[int]:
    studio = opened_studio(folder, FakeEngine())
    try:
        return [len(line.takes) for line in studio.scripts.lines(script)]
    finally:
        studio.close()
