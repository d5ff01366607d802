"""`python app.py cluster` without Ray, and the end of what belongs to a cluster."""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import app
from studio.scale import cluster
from studio.scale.private_cluster import ClusterFailed, private_cluster
from studio.scale.processes import end_processes, processes_of
from studio.settings import Settings


def test_without_ray_the_cluster_command_says_what_to_run(monkeypatch, capsys):
    monkeypatch.setattr(cluster, "find_spec", lambda name: None)
    assert app.main(["cluster", "--replicas", "2"]) == 2
    assert capsys.readouterr().err == "A cluster needs Ray, which is not installed. Run: make cluster\n"


def test_where_a_cluster_cannot_run_its_command_says_where_it_can(monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "win32")
    assert cluster.run_cluster(argparse.Namespace(), Settings()) == 2
    assert "WSL" in capsys.readouterr().err


def test_a_folder_too_long_for_sockets_is_refused_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(ClusterFailed, match="TMPDIR"), private_cluster([], port=0):
        pass
    assert not list(tmp_path.iterdir())


def test_processes_of_a_session_or_that_name_the_folder_are_ended_and_no_others():
    asleep = [sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"]
    folder = Path("/nowhere/of-this-test")
    own = subprocess.Popen(asleep, start_new_session=True, stdout=subprocess.PIPE)
    naming = subprocess.Popen([*asleep, str(folder)], start_new_session=True, stdout=subprocess.PIPE)
    other = subprocess.Popen(asleep, start_new_session=True, stdout=subprocess.PIPE)
    try:
        for process in (own, naming, other):
            process.stdout.readline()
        assert processes_of(own.pid, folder) == sorted([own.pid, naming.pid])
        assert end_processes(own.pid, folder) == []
        assert own.wait() == naming.wait() == -9
        assert other.poll() is None
    finally:
        for process in (own, naming, other):
            process.kill()
            process.wait()
            process.stdout.close()
