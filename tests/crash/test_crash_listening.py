"""A studio that is killed while people listen loses no answer that it acknowledged."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from studio.listening.listening import Listening
from studio.listening.listening_folder import ListeningFolder
from tests.crash.crash_listening import rating
from tests.listening.store.made_tests import PLAN, Maker, answer_of, heard, opened
from tests.processes.warm_process import process_of

SCRIPT = Path(__file__).with_name("crash_listening.py")
RATED = PLAN.model_copy(update={"method": "mos", "repeats": 32})  # 128 questions


@pytest.mark.parametrize("has_shared_memory", [True, False])
def test_a_studio_killed_in_mid_session_keeps_every_answer_and_the_listener_goes_on(tmp_path, monkeypatch, has_shared_memory):
    monkeypatch.setattr("studio.listening.render.checks.checks_of", lambda plan, items, folder: ())
    listening = Listening(ListeningFolder(tmp_path, has_shared_memory=has_shared_memory), Maker())
    test = opened(listening, RATED)
    listening._folder.close()
    asked = [sys.executable, str(SCRIPT), str(tmp_path), test.id, str(int(has_shared_memory))]
    with process_of(asked, warm=["tests.crash.crash_listening"], stdout=subprocess.PIPE, text=True) as child:
        token = child.stdout.readline().strip()
        wanted = random.randrange(5, 60)
        acknowledged = 0
        while acknowledged < wanted:
            acknowledged = int(child.stdout.readline())
        child.kill()
        acknowledged = max([acknowledged, *map(int, child.stdout.read().split())])
    listening = Listening(ListeningFolder(tmp_path, has_shared_memory=has_shared_memory), Maker())
    session = listening.session(test.id, token)
    assert len(session.answered) - acknowledged in (0, 1) and session.answered == tuple(range(1, len(session.answered) + 1))
    if not session.is_done:
        trial = session.trials[len(session.answered)]
        heard(listening, test.id, trial)
        assert listening.answer(test.id, token, answer_of(trial, rating(trial.number))) == trial.number
    listening.close_test(test.id)
    assert all(vote.score == rating(vote.trial) for vote in listening.votes(test.id))
    listening._folder.close()
