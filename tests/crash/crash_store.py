"""Kill -9 of a process in the middle of uploads, prompt writes and deletes, then a start: is everything acknowledged there, and whole?

`python tests/crash/crash_store.py --rounds 50`. First a fixed sequence of operations is killed at each of its disk calls in turn (a write
is killed half way). Then come random moments. Each round is a process of its own on the same directory. It first reports what the store
restored, every digest verified; then it works, announcing each operation and each call of the system that changes the disk, and
acknowledging each operation that returned; then it is killed at a random moment. The parent compares the next report with what was
acknowledged: exactly that, except that the one operation that was under way may have happened or not.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import BinaryIO

import numpy as np

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from engines.clips.clip import Clip  # noqa: E402
from engines.contract.prompt import SpeakerPrompt  # noqa: E402
from studio.prompt_key import PromptKey  # noqa: E402
from studio.speakers.speaker import Enrollment, Speaker, speaker_key  # noqa: E402
from studio.speakers.store import SpeakerStore  # noqa: E402

NAMES = ("Alice", "bob", "Chloé", "中文", "Eve")
ENGINES = ("fake", "other")
DISK_CALLS = ("write", "fsync", "replace", "unlink", "mkdir", "rmdir")
FIXED = (
    ("upload", "Alice"),
    ("fake", "Alice"),
    ("other", "Alice"),
    ("upload", "bob"),
    ("fake", "bob"),
    ("upload", "ALICE"),
    ("fake", "alice"),
    ("fake", "alice"),
    ("remove", "bob"),
    ("remove", "alice"),
    ("upload", "Alice"),
)
LONGEST_WORK_SECONDS = 0.12
MOST_PAUSE_SECONDS = 0.002  # before each call of the system, so that kills fall between any two of them
Say = Callable[..., None]


# --- the child


def clip_of(operation: int) -> Clip:
    """The recording that operation number `operation` uploads: 0.1 to 0.5 s."""
    random_ = np.random.default_rng(operation)
    return Clip(random_.uniform(-1, 1, int(random_.integers(2_400, 12_000))).astype(np.float32), 24_000)


def prompt_of(speaker: Speaker, engine: str) -> tuple[PromptKey, SpeakerPrompt]:
    identity = (engine, "1", "weights", "fp32", speaker.clip_digest)
    values = np.frombuffer(bytes.fromhex(speaker.clip_digest), np.uint8)
    return PromptKey(*identity), SpeakerPrompt(*identity, tensors={"codes": np.tile(values, 64)})


def report(store: SpeakerStore) -> dict:
    """What is restored, with each clip and prompt read and verified, and what is left over that should not be."""
    speakers, prompts = {}, {}
    for speaker in store.speakers():
        speakers[speaker.key] = {"generation": speaker.generation_id, "digest": speaker.read_clip().digest}
        for engine in {file.engine for file in store.prompt_files(speaker.generation)}:
            key, expected = prompt_of(speaker, engine)
            found = store.read_prompt(speaker.generation, key)
            whole = found is not None and found.content_digest == expected.content_digest
            prompts[f"{speaker.generation_id}/{engine}"] = whole
    folders = {path.name for path in (store.directory / "prompts").glob("*") if path.is_dir()}
    return {
        "speakers": speakers,
        "prompts": prompts,
        "quarantined": [f"{name}: {reason}" for name, reason in store.quarantined],
        "leftovers": [str(path.relative_to(store.directory)) for path in store.directory.rglob(".partial-*")]
        + sorted(folders - {speaker["generation"] for speaker in speakers.values()}),
        "extra_files": len(list(store.directory.glob("*.safetensors"))) - len(speakers),
    }


def perform(store: SpeakerStore, say: Say, kind: str, name: str, operation: int) -> None:
    """One operation, announced and acknowledged. An upload's content follows from its number."""
    if kind == "upload":
        say(begin="upload", key=speaker_key(name), digest=clip_of(operation).digest)
        made, _ = store.add(Enrollment(name, "consent", clip_of(operation)))
        say(done="upload", key=made.key, digest=made.clip_digest, generation=made.generation_id)
    elif kind == "remove":
        say(begin="remove", key=speaker_key(name))
        store.remove(name)
        say(done="remove", key=speaker_key(name))
    else:
        speaker = store.get(name)
        say(begin="prompt", key=speaker.key, prompt=f"{speaker.generation_id}/{kind}")
        assert store.write_prompt(speaker.generation, *prompt_of(speaker, kind))
        say(done="prompt", key=speaker.key, prompt=f"{speaker.generation_id}/{kind}")


def work(store: SpeakerStore, say: Say, seed: int, first_operation: int, n_operations: int) -> None:
    """Random uploads, prompt writes and deletes."""
    random_ = random.Random(seed)
    for operation in range(first_operation, first_operation + n_operations):
        name = random_.choice(NAMES)
        kind = random_.choices(("upload", *ENGINES, "remove"), (5, 2, 2, 2))[0]
        known = any(speaker.key == speaker_key(name) for speaker in store.speakers())
        perform(store, say, kind if known else "upload", name, operation)


def announce_disk_calls(before: Callable[[str, tuple], None]) -> None:
    """Wrap the functions of os that change the disk, so that `before` hears of each call, by name and arguments."""

    def announced(name: str, real: Callable) -> Callable:
        def call(*args, **more):
            if not (name == "write" and args[0] == 1):  # what is said to the parent
                before(name, args)
            return real(*args, **more)

        return call

    for name in DISK_CALLS:
        setattr(os, name, announced(name, getattr(os, name)))


def say(**facts) -> None:
    os.write(1, json.dumps(facts).encode() + b"\n")


def child(directory: Path, seed: int, first_operation: int, n_operations: int) -> None:
    """Report, then work until killed, pausing before each disk call."""
    pause = random.Random(seed)

    def before(name: str, args: tuple) -> None:
        say(call=name)
        time.sleep(pause.uniform(0, MOST_PAUSE_SECONDS))

    store = SpeakerStore(directory)
    say(report=report(store))
    announce_disk_calls(before)
    work(store, say, seed, first_operation, n_operations)


def child_that_dies(directory: Path, at_call: int) -> None:
    """The fixed sequence, killed at its nth disk call: instead of it, or half way through a write."""
    calls, write = count(1), os.write

    def before(name: str, args: tuple) -> None:
        if next(calls) == at_call:
            if name == "write":
                write(args[0], args[1][: len(args[1]) // 2])
            say(call=name)
            os.kill(os.getpid(), signal.SIGKILL)

    announce_disk_calls(before)
    store = SpeakerStore(directory)
    for operation, (kind, name) in enumerate(FIXED):
        perform(store, say, kind, name, operation)


# --- the parent


@dataclass
class Acknowledged:
    """What the parent has been told. speakers: key -> {digest, generation}. prompts: names of those written for live generations."""

    speakers: dict[str, dict[str, str]] = field(default_factory=dict)
    prompts: set[str] = field(default_factory=set)
    under_way: dict | None = None

    def hear(self, line: dict) -> None:
        if "begin" in line:
            self.under_way = line
        elif "done" in line:
            self.under_way = None
            if line["done"] == "prompt":
                self.prompts.add(line["prompt"])
            else:
                self._forget(line["key"])
            if line["done"] == "upload":
                self.speakers[line["key"]] = {"digest": line["digest"], "generation": line["generation"]}

    def settle(self, found: dict) -> list[str]:
        """Everything in a report that contradicts what was acknowledged. Afterwards the report is what is acknowledged."""
        faults = [f"{kind}: {found[kind]}" for kind in ("quarantined", "leftovers", "extra_files") if found[kind]]
        faults += [f"damaged prompt {name}" for name, whole in found["prompts"].items() if not whole]
        for key in self.speakers.keys() | found["speakers"].keys():
            before, after = self.speakers.get(key), found["speakers"].get(key)
            if before != after and not self._explains(key, after):
                faults.append(f"speaker {key}: acknowledged {before}, found {after}, under way {self.under_way}")
        live = {speaker["generation"] for speaker in found["speakers"].values()}
        expected = {name for name in self.prompts if name.partition("/")[0] in live}
        allowed = expected | ({self.under_way["prompt"]} if self.under_way and self.under_way["begin"] == "prompt" else set())
        if not expected <= found["prompts"].keys() <= allowed:
            faults.append(f"prompts: acknowledged {sorted(expected)}, found {sorted(found['prompts'])}, under way {self.under_way}")
        self.speakers, self.prompts, self.under_way = dict(found["speakers"]), set(found["prompts"]), None
        return faults

    def _explains(self, key: str, after: dict[str, str] | None) -> bool:
        """Whether the operation under way turns a speaker into what was found."""
        operation = self.under_way
        if operation is None or operation["key"] != key:
            return False
        if operation["begin"] == "remove":
            return after is None
        return operation["begin"] == "upload" and after is not None and after["digest"] == operation["digest"]

    def _forget(self, key: str) -> None:
        old = self.speakers.pop(key, None)
        if old is not None:
            self.prompts = {name for name in self.prompts if not name.startswith(old["generation"])}


@dataclass
class Summary:
    """rounds that were killed; in_flight: kind of operation under way -> rounds; inside: system call announced last -> rounds."""

    rounds: int = 0
    operations: int = 0
    in_flight: Counter = field(default_factory=Counter)
    inside: Counter = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        kinds = ", ".join(f"{kind} {n}" for kind, n in sorted(self.in_flight.items()))
        calls = ", ".join(f"{kind} {n}" for kind, n in sorted(self.inside.items()))
        flying = sum(self.in_flight.values())
        return (
            f"{self.rounds} kills, {self.operations} operations acknowledged; {flying} kills with an operation in flight ({kinds}), "
            f"{sum(self.inside.values())} of them between its first and last disk call (last announced: {calls}); {len(self.faults)} faults"
        )


def forked(work: Callable[[], None]) -> tuple[int, BinaryIO]:
    """(id, what it says) of a process that works so and ends. It has what is imported here, and no store."""
    heard, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(heard)
        os.dup2(told, 1)
        try:
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    os.close(told)
    return pid, os.fdopen(heard, "rb")


def run_boundaries() -> Summary:
    """Kill the fixed sequence at each of its disk calls in turn, each time on a new directory."""
    summary = Summary()
    for at_call in count(1):
        directory = Path(tempfile.mkdtemp(prefix="crash-store-"))
        pid, heard = forked(partial(child_that_dies, directory, at_call))
        with heard:
            said = heard.read()
        finished = os.waitpid(pid, 0)[1] == 0
        state = Acknowledged()
        _hear_the_rest(said, state, summary, killed=not finished)
        summary.faults += [f"killed at call {at_call}: {fault}" for fault in state.settle(report(SpeakerStore(directory)))]
        shutil.rmtree(directory)
        if finished:
            return summary


def run_rounds(rounds: int, seed: int = 0, directory: Path | None = None) -> Summary:
    """Kill `rounds` processes that work on one directory, and check each start after."""
    random_ = random.Random(seed)
    summary, state = Summary(), Acknowledged()
    directory = directory or Path(tempfile.mkdtemp(prefix="crash-store-"))
    for number in range(rounds + 1):
        seed_of_work, n_operations = random_.randrange(1 << 30), 100_000 if number < rounds else 0
        pid, heard = forked(partial(child, directory, seed_of_work, number * 100_000, n_operations))
        with heard:
            first = heard.readline()
            if not first:
                summary.faults.append(f"round {number}: the store did not start")
                os.waitpid(pid, 0)
                break
            summary.faults += [f"round {number}: {fault}" for fault in state.settle(json.loads(first)["report"])]
            if number < rounds:
                time.sleep(random_.uniform(0, LONGEST_WORK_SECONDS))
                os.kill(pid, signal.SIGKILL)
            _hear_the_rest(heard.read(), state, summary, killed=number < rounds)
        os.waitpid(pid, 0)
    shutil.rmtree(directory)
    return summary


def _hear_the_rest(said: bytes, state: Acknowledged, summary: Summary, killed: bool) -> None:
    """Lines that the child wrote before it died; the last one may be cut."""
    calls: list[str] = []
    for line in said.split(b"\n")[:-1]:
        facts = json.loads(line)
        if "call" in facts:
            calls.append(facts["call"])
            continue
        calls = []
        summary.operations += "done" in facts
        state.hear(facts)
    if killed:
        summary.rounds += 1
        if state.under_way is not None:
            summary.in_flight[state.under_way["begin"]] += 1
            summary.inside.update(calls[-1:])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    each_call, random_moments = run_boundaries(), run_rounds(arguments.rounds, arguments.seed)
    print(f"each disk call: {each_call}\nrandom moments: {random_moments}")
    faults = each_call.faults + random_moments.faults
    print("\n".join(faults[:20]), file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
