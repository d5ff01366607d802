"""Kill -9 of a studio while it says a script, then a start: nothing is lost, and nothing that was kept is said twice.

`python tests/crash/crash_saying.py FOLDER` is the child: it goes on with what waits, says each text that the engine begins and when all is
done.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from engines.contract.options import Value  # noqa: E402
from engines.contract.prompt import SpeakerPrompt  # noqa: E402
from studio.service import Studio  # noqa: E402
from studio.settings import Settings  # noqa: E402
from tests.stand_ins.fake_engine import INFO, FakeEngine  # noqa: E402

__all__ = ["TellingEngine", "opened_studio"]


def say(words: object) -> None:
    os.write(1, f"{words}\n".encode())


class TellingEngine(FakeEngine):
    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Iterator[np.ndarray]:
        say(text)
        return super().stream(text, prompt, options)


def opened_studio(folder: Path, engine: FakeEngine) -> Studio:
    settings = Settings(speakers_dir=folder, default_engine=INFO.id)
    return Studio(settings, infos={INFO.id: INFO}, open_engine=lambda name: engine)


def say_what_waits(folder: Path) -> None:
    studio = opened_studio(folder, TellingEngine())
    studio.scripts.resume()
    for job in studio.scripts._folder.saying._jobs._jobs.values():
        job.thread.join()
    say("done")


if __name__ == "__main__":
    say_what_waits(Path(sys.argv[1]))
