"""Kill -9 of a studio that runs an evaluation, then another run: is every cell there that was acknowledged, and none said twice?

`python tests/crash/crash_evaluations.py FOLDER EVALUATION` is the child: it runs it, and tells how many texts its engine was given and how
many cells are kept, after each cell. It goes on once it has read a line.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from studio.service import Studio  # noqa: E402
from studio.settings import Settings  # noqa: E402
from tests.crash.crash_listening import say  # noqa: E402
from tests.evaluations.made_plans import CountingJudge, run_of  # noqa: E402
from tests.stand_ins.fake_engine import INFO, FakeEngine  # noqa: E402


def opened_studio(folder: Path, engine: FakeEngine) -> Studio:
    """Over one fake engine, without ears."""
    settings = Settings(speakers_dir=folder, default_engine="fake", transcriber="none")
    return Studio(settings, infos={"fake": INFO}, open_engine=lambda name: engine)


def tell(number: int) -> None:
    say(number)
    sys.stdin.readline()


class TellingJudge(CountingJudge):
    """Tells each sound that it has measured before."""

    def measures(self, *given, **named):
        if self.measured:
            tell(len(self.measured))
        return super().measures(*given, **named)


def run_until_killed(folder: Path, evaluation_id: str) -> None:
    studio = opened_studio(folder, FakeEngine())
    store, n_said = studio.evaluations._store, 0
    put_said = store.put_said

    def put_and_tell(*given) -> None:
        nonlocal n_said
        put_said(*given)
        n_said += 1
        tell(n_said)

    store.put_said = put_and_tell
    run_of(studio, evaluation_id, TellingJudge()).work()


if __name__ == "__main__":
    run_until_killed(Path(sys.argv[1]), sys.argv[2])
