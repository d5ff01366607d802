"""A studio that is killed while it runs an evaluation loses no cell that it acknowledged, and the next run says and measures the rest."""

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.crash.crash_evaluations import opened_studio
from tests.evaluations.made_plans import CountingJudge, order_of, plan_of, run_of
from tests.processes.warm_process import process_of
from tests.stand_ins.fake_engine import FakeEngine

SCRIPT = Path(__file__).with_name("crash_evaluations.py")
N_TEXTS, N_CELLS = 8, 16


@pytest.mark.parametrize("phase", ["say", "measure"])
def test_an_evaluation_that_was_killed_goes_on_and_does_nothing_twice(tmp_path, phase):
    studio = opened_studio(tmp_path, FakeEngine())
    evaluation = studio.evaluations.create(order_of(plan_of("fake", voices=("anna", "ben"), n_texts=N_TEXTS)))[0].id
    studio.close()
    wanted = random.randrange(2, N_CELLS - 2) + (N_CELLS if phase == "measure" else 0)
    asked, pipe = [sys.executable, str(SCRIPT), str(tmp_path), evaluation], subprocess.PIPE
    with process_of(asked, warm=["tests.crash.crash_evaluations"], stdin=pipe, stdout=pipe, text=True) as child:
        child.stdin.write("\n" * wanted)  # at most one cell more, or a slow machine's child would be done
        child.stdin.flush()
        for _ in range(wanted):
            child.stdout.readline()
        child.kill()
        n_told = wanted + len(child.stdout.read().splitlines())
    engine, judge = FakeEngine(), CountingJudge()
    studio = opened_studio(tmp_path, engine)
    before = studio.evaluations.data(evaluation)
    assert before.evaluation.state == "stopped" and studio.store.speakers() == ()  # what it had of voices went with it
    n_done = before.evaluation.n_said + sum(cell.measures is not None for cell in before.cells)
    assert n_told <= n_done <= n_told + 2
    run_of(studio, evaluation, judge).work()
    after = studio.evaluations.data(evaluation)
    assert after.evaluation.state == "done" and len(after.cells) == N_CELLS
    kept = {cell.key: cell for cell in before.cells}
    assert all(cell.said == kept[cell.key].said for cell in after.cells if cell.key in kept)
    n_voices = len({cell.key.voice for cell in after.cells if cell.key not in kept})
    assert len(engine.texts) == N_CELLS - len(kept) + n_voices  # of each voice one more, which teaches it
    assert len(judge.measured) == N_CELLS - sum(cell.measures is not None for cell in before.cells)
    for cell in after.cells:
        samples, _ = studio.evaluations._files.read(evaluation, cell.said.sound.sha256)
        assert np.abs(samples).max() > 1000
    studio.close()
