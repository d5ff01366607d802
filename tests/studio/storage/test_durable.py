"""Locks of a directory: held against other processes, released by a crash, and no reason not to start where there are none of POSIX."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import lock_descriptor

from engines import durable
from engines.durable import StagedFile, locked_directory, remove_leftovers

ROOT = Path(__file__).parents[3]
HOLDER = """
import sys
from pathlib import Path
from engines.durable import StagedFile, locked_directory
with locked_directory(Path(sys.argv[1])):
    staged = StagedFile(Path(sys.argv[1]), [b"unfinished"])
    print("held", flush=True)
    sys.stdin.read()
"""
# As on Windows, as far as that can be told from here: Python has neither the module nor the flags.
STORE_WITHOUT_POSIX = """
import os, sys, warnings
warnings.simplefilter("ignore")
sys.modules["fcntl"] = None
import filelock, numpy
del os.O_DIRECTORY, os.O_NONBLOCK
from pathlib import Path
from engines.clips.clip import Clip
from studio.speakers.speaker import Enrollment
from studio.speakers.store import SpeakerStore
clip = Clip(numpy.ones(2_400, numpy.float32), 24_000)
SpeakerStore(Path(sys.argv[1])).add(Enrollment("Ana", "own", clip))
again = SpeakerStore(Path(sys.argv[1]))
assert again.quarantined == () and again.get("ana").read_clip().digest == clip.digest
"""


def start(code: str, directory: Path) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", code, str(directory)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def is_locked(directory: Path) -> bool:
    """Whether somebody holds the directory now."""
    descriptor = os.open(directory / durable.LOCK_NAME, os.O_RDWR)
    try:
        return not lock_descriptor(descriptor, blocking=False)
    finally:
        os.close(descriptor)


def test_a_directory_is_held_against_another_process_until_that_one_dies(tmp_path):
    with start(HOLDER, tmp_path) as holder:
        assert holder.stdout.readline() == b"held\n"
        assert is_locked(tmp_path)
        remove_leftovers(tmp_path)
        assert [path.read_bytes() for path in tmp_path.glob(".partial-*")] == [b"unfinished"]
        holder.kill()
        holder.wait()
        with locked_directory(tmp_path):
            remove_leftovers(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == [durable.LOCK_NAME]


@pytest.mark.slow
def test_who_waits_for_a_directory_gets_it_when_the_holder_is_done(tmp_path):
    with start(HOLDER, tmp_path) as holder:
        assert holder.stdout.readline() == b"held\n"
        with start(HOLDER, tmp_path) as waiting:
            holder.stdin.close()
            assert waiting.stdout.readline() == b"held\n"
            waiting.stdin.close()
    assert not is_locked(tmp_path)


def test_the_lock_file_is_no_speaker_and_no_leftover(tmp_path):
    with locked_directory(tmp_path):
        StagedFile(tmp_path, [b"whole"]).publish(tmp_path / "kept")
    remove_leftovers(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [durable.LOCK_NAME, "kept"]


@pytest.mark.posix_files
@pytest.mark.slow
def test_a_store_starts_and_keeps_speakers_where_python_has_no_fcntl(tmp_path):
    with start(STORE_WITHOUT_POSIX, tmp_path) as process:
        assert process.wait() == 0


def test_what_changes_after_the_file_systems_clock_was_read_is_dated_so_or_later(tmp_path):
    for turn in range(50):
        with durable.locked_directory(tmp_path):
            now_ns = durable.file_system_now_ns(tmp_path)
        (tmp_path / f"{turn}").touch()
        assert os.stat(tmp_path).st_mtime_ns >= now_ns


def test_where_the_clock_cannot_be_asked_it_is_two_seconds_ago(tmp_path, monkeypatch):
    monkeypatch.setattr(durable.time, "time_ns", lambda: 5_000_000_000)
    assert durable.file_system_now_ns(tmp_path / "nowhere") == 3_000_000_000
