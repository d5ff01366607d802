"""A studio that is killed while it edits and says a script loses no step and no take that it acknowledged, and says none twice."""

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from studio.scripts.scripts import Scripts
from studio.scripts.scripts_folder import ScriptsFolder
from tests.processes.warm_process import process_of
from tests.spoken_scripts.keep.made_scripts import Maker, read_of, sound_of, texts_of

SCRIPT = Path(__file__).with_name("crash_scripts.py")
TEXTS = tuple(f"line {n}" for n in range(60))


@pytest.mark.parametrize("has_shared_memory", [True, False])
def test_a_studio_killed_while_it_writes_keeps_every_step_and_every_take(tmp_path, has_shared_memory):
    scripts = Scripts(ScriptsFolder(tmp_path, has_shared_memory=has_shared_memory), Maker())
    script = scripts.create(read_of(*TEXTS)).id
    scripts._folder.close()
    asked = [sys.executable, str(SCRIPT), str(tmp_path), script, str(int(has_shared_memory))]
    with process_of(asked, warm=["tests.crash.crash_scripts"], stdout=subprocess.PIPE, text=True) as child:
        wanted, acknowledged = random.randrange(3, 18), 0
        while acknowledged < wanted:
            acknowledged = int(child.stdout.readline())
        child.kill()
        acknowledged = max([acknowledged, *map(int, child.stdout.read().split())])
    scripts = Scripts(ScriptsFolder(tmp_path, has_shared_memory=has_shared_memory), Maker())
    n_steps = scripts.script(script).can_undo
    assert n_steps - acknowledged in (0, 1)
    lines = scripts.lines(script)
    assert [line.written.text for line in lines[:n_steps]] == [f"text {number}" for number in range(1, n_steps + 1)]
    said = [line for line in lines if line.takes]
    assert len(said) - acknowledged in (0, 1) and {take.id for line in said for take in line.takes} == {
        f"t{n + 1}" for n in range(len(said))
    }
    for number, line in enumerate(said, start=1):
        assert np.array_equal(scripts._takes.read(script, line.chosen_take.sha256)[0], sound_of(number))
    waiting = {line.line_id for line in scripts._store.queued(script)}
    assert len(waiting) <= 1 and not waiting & {line.id for line in said}
    for _ in range(n_steps):
        scripts.undo(script)
    assert tuple(texts_of(scripts, script)) == TEXTS
    scripts._folder.close()
