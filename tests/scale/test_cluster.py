"""`python app.py cluster` from outside: one ready line, and nothing left of it, however it is ended."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from studio.scale.processes import processes_of
from studio.settings import current_environment
from tests.stand_ins import patient_http

pytestmark = pytest.mark.scale

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 30


def children_of(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split()]


@pytest.mark.parametrize("way", ["SIGINT", "SIGTERM", "SIGKILL", "its child killed"])
def test_an_ended_cluster_leaves_no_process_and_no_file(tmp_path, way):
    environment = current_environment(without_settings=True) | {
        "SPEAKER_SAMPLES_DIR": str(tmp_path / "speakers"),
        "STUDIO_ENGINES": "espeak",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "app.py", "cluster", "--replicas", "1", "--port", "0", "--headless"]
    owner = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        ready = owner.stdout.readline()
        assert ready.startswith("ready in ")
        url = next(word for word in ready.split() if word.startswith("http"))
        assert patient_http.get(f"{url}/health").status_code == 200
        (driver,) = children_of(owner.pid)
        folder = Path(Path(f"/proc/{driver}/cmdline").read_text(encoding="utf-8").split("\0")[-2])
        assert folder.is_dir()
        assert processes_of(driver, folder)
        if way == "its child killed":
            os.kill(driver, signal.SIGKILL)
        else:
            owner.send_signal(getattr(signal, way))
        owner.wait(PATIENCE_SECONDS)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while processes_of(driver, folder) or folder.exists():
            assert time.monotonic() < deadline, processes_of(driver, folder)
            time.sleep(0.1)
        assert owner.returncode == {"SIGKILL": -9, "its child killed": 2}.get(way, 0)
    finally:
        owner.kill()
        owner.wait()
        owner.stdout.close()
