"""A store that is killed loses nothing that it acknowledged and serves nothing half-written."""

import sys
from pathlib import Path

from tests.processes.warm_process import ran

SCRIPT = Path(__file__).with_name("crash_store.py")


def test_a_store_killed_at_every_disk_call_and_at_random_moments_keeps_what_it_acknowledged():
    done = ran([sys.executable, str(SCRIPT), "--rounds", "8"], warm=["tests.crash.crash_store"])
    assert done.returncode == 0, done.stdout + done.stderr
    each_call, random_moments = done.stdout.splitlines()
    assert int(each_call.split()[3]) >= 50, "so many disk calls has the fixed sequence"
    assert random_moments.startswith("random moments: 8 kills")
