"""A store that is killed while it renames, sets aside or puts back has the old speaker or the new one, whole, and never both or none."""

import json
import os
import signal
import sys
import tempfile
from functools import partial
from itertools import count
from pathlib import Path

from studio.speakers.edit import SpeakerEdit
from studio.speakers.store import SpeakerStore
from studio.storage.trash import Trash
from tests.crash.crash_store import announce_disk_calls, clip_of, forked, prompt_of
from tests.processes.warm_process import ran
from tests.studio.speakers.store_subjects import recording

STEPS = ("rename", "describe", "aside", "back")


def perform(store: SpeakerStore, trash: Trash, step: str) -> None:
    if step == "rename":
        store.edit("Alice", SpeakerEdit("Bea"))
    elif step == "describe":
        store.edit("Bea", SpeakerEdit("Bea", "warm"))
    elif step == "aside":
        trash.keep(store.remove("Bea", into=trash.folder()).generation_id)
    else:
        [file] = trash.directory.glob("*.safetensors")
        store.put_back(trash.take(file.stem))


def found_after(directory: Path) -> tuple[list[tuple[str, str | None]], bool]:
    """(name and description of every speaker, whether its prompt is there), each clip verified, at the next start."""
    Trash(directory / "trash")
    store = SpeakerStore(directory)
    speakers = store.speakers()
    assert store.quarantined == () and len(list(directory.glob("*.safetensors"))) == len(speakers)
    assert not list(directory.rglob(".partial-*")) and not list((directory / "trash").glob("*"))
    assert all(speaker.read_clip().digest == clip_of(1).digest for speaker in speakers)
    prompts = [store.read_prompt(speaker.generation, prompt_of(speaker, "fake")[0]) for speaker in speakers]
    return [(speaker.name, speaker.description) for speaker in speakers], any(prompts)


def run_killed(directory: Path, at_call: int) -> tuple[list[str], bool]:
    """(steps that were over, whether all were) of a process that is killed instead of its nth disk call, or half way through a write."""
    pid, heard = forked(partial(take_steps, directory, at_call))
    with heard:
        steps = heard.read().decode().split()
    return steps, os.waitpid(pid, 0)[1] == 0


def take_steps(directory: Path, at_call: int) -> None:
    """Tell each on stdout, which is no disk call."""
    calls, write, told = count(1), os.write, 1

    def before(name: str, args: tuple) -> None:
        if args[:1] != (told,) and next(calls) == at_call:
            if name == "write":
                write(args[0], args[1][: len(args[1]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)

    store, trash = SpeakerStore(directory), Trash(directory / "trash")
    made, _ = store.add(recording(clip=clip_of(1)))
    store.write_prompt(made.generation, *prompt_of(made, "fake"))
    announce_disk_calls(before)
    for step in STEPS:
        perform(store, trash, step)
        write(told, f"{step}\n".encode())


STATES = (["Alice", None], ["Bea", None], ["Bea", "warm"], None, ["Bea", "warm"])  # before each step, and at the end


def main() -> None:
    """Print what was found after each kill."""
    for at_call in count(1):
        with tempfile.TemporaryDirectory() as folder:
            steps, finished = run_killed(Path(folder), at_call)
            speakers, has_prompt = found_after(Path(folder))
            print(json.dumps({"steps": len(steps), "speakers": speakers, "prompt": has_prompt}))
        if finished:
            return


def test_a_store_killed_at_every_disk_call_of_an_edit_has_the_old_speaker_or_the_new_one():
    done = ran([sys.executable, "-m", "tests.crash.test_crash_edit"], warm=["tests.crash.crash_store"])
    assert done.returncode == 0, done.stderr
    kills = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(kills) >= 15, "so many disk calls have the steps"
    for kill in kills:
        before, after = STATES[kill["steps"]], STATES[min(kill["steps"] + 1, len(STEPS))]
        allowed = [[] if state is None else [state] for state in (before, after)]
        assert kill["speakers"] in allowed, kill
        assert kill["prompt"] or kill["steps"] >= 2, kill  # renames keep what was learned


if __name__ == "__main__":
    main()
