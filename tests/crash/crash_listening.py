"""Kill -9 of a studio while listeners answer, then a start: is every answer there that was acknowledged, and may the listener go on?

`python tests/crash/crash_listening.py FOLDER TEST HAS_SHARED_MEMORY` is the child: it begins a session, says its token, and answers one
question after the other, saying each number that was acknowledged. HAS_SHARED_MEMORY: as Listening has it, 0 or 1.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from studio.listening.listening import Listening  # noqa: E402
from studio.listening.listening_folder import ListeningFolder  # noqa: E402
from tests.listening.store.made_tests import Maker, answer_of, heard  # noqa: E402

__all__ = ["rating", "say"]


def rating(trial: int) -> int:
    """What is answered to a trial, so that who reads it later knows."""
    return 1 + trial * 7 % 5


def say(words: object) -> None:
    os.write(1, f"{words}\n".encode())


def answer_until_killed(folder: Path, test_id: str, *, has_shared_memory: bool) -> None:
    listening = Listening(ListeningFolder(folder, has_shared_memory=has_shared_memory), Maker())
    session = listening.begin(test_id)
    say(session.token)
    for trial in session.trials:
        heard(listening, test_id, trial)
        say(listening.answer(test_id, session.token, answer_of(trial, rating(trial.number))))


if __name__ == "__main__":
    answer_until_killed(Path(sys.argv[1]), sys.argv[2], has_shared_memory=sys.argv[3] == "1")
