"""Kill -9 of a studio that edits and says a script, then a start: is every step and every take there that was acknowledged?

`python tests/crash/crash_scripts.py FOLDER SCRIPT HAS_SHARED_MEMORY` is the child: it writes a line anew, says its take, and tells the
number of each once it was acknowledged. HAS_SHARED_MEMORY: as ScriptsFolder has it, 0 or 1.
"""

import itertools
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from studio.scripts.keep.queue import QueuedLine  # noqa: E402
from studio.scripts.script.edits import PutLine  # noqa: E402
from studio.scripts.script.line import LineText  # noqa: E402
from studio.scripts.scripts import Scripts  # noqa: E402
from studio.scripts.scripts_folder import ScriptsFolder  # noqa: E402
from tests.crash.crash_listening import say  # noqa: E402
from tests.spoken_scripts.keep.made_scripts import Maker, kept_take  # noqa: E402


def write_until_killed(folder: Path, script: str, *, has_shared_memory: bool) -> None:
    scripts = Scripts(ScriptsFolder(folder, has_shared_memory=has_shared_memory), Maker())
    lines = scripts.line_ids(script)
    for number, line in zip(itertools.count(1), itertools.cycle(lines), strict=False):
        scripts._store.enqueue(script, [QueuedLine(line)])
        scripts.edit(script, [PutLine(line=line, written=LineText(text=f"text {number}"))])
        scripts._store.add_take(script, line, kept_take(scripts._takes, script, number), choose=True, dequeue=True)
        say(number)


if __name__ == "__main__":
    write_until_killed(Path(sys.argv[1]), sys.argv[2], has_shared_memory=sys.argv[3] == "1")
