"""What a pod does before Ray starts in it: `python -m studio.commands.prepare_pod FOLDER [--weights ENGINE --onto DISK]`.

FOLDER, the one that all share, has to take files. Weights lie there (HF_HOME) once for all, and are copied onto a disk of the node: engines
map them into memory, and a mapping of NFS whose server goes away ends the process by SIGBUS, where a file that is read is an error.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from studio.running.offer.offer import offered, offered_settings, weights_lacking

__all__ = ["copy_weights", "main", "write_refusal"]

PAUSE_SECONDS = 10.0  # between two looks for weights that somebody has to put there
RAYS_USER = "1000:100"  # and group, of Ray's image; the pods run as it
HUB = "hub"  # below HF_HOME, as huggingface_hub has it
UNFINISHED = "*.incomplete"  # what a download of the hub's library has begun


def main(arguments: Sequence[str] | None = None, pause: Callable[[float], None] = time.sleep) -> int:
    """Command line. 1 where the folder takes no files; it waits for weights that are not there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--weights", metavar="ENGINE", action="append", default=[], help="may be said again")
    parser.add_argument("--onto", metavar="DISK", type=Path, help="folder on the node that is HF_HOME of the engines")
    options = parser.parse_args(arguments)
    if options.weights and not options.onto:
        parser.error("--weights wants --onto")
    if refusal := write_refusal(options.folder):
        _say(refusal)
        return 1
    for engine in options.weights:
        _bring(engine, options.onto / HUB, pause)
    return 0


def write_refusal(folder: Path) -> str:
    """Why the folder takes no files, and what to do about it; "" where it does."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".may-write-"):
            return ""
    except OSError as error:
        return (
            f"{folder} takes no files of this pod's user ({error.strerror}). On the server of that folder run: chown {RAYS_USER} and chmod "
            "2770. fsGroup does that only by a CSI driver whose fsGroupPolicy is File, and only where the export lets root do it."
        )


def copy_weights(hub: Path, disk: Path, repository: str) -> Path:
    """A repository of one cache of the hub's library into another one, whole or not at all; nothing where it is there already."""
    from huggingface_hub.file_download import repo_folder_name

    name = repo_folder_name(repo_id=repository, repo_type="model")
    target = disk / name
    if not target.is_dir():
        disk.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=disk, prefix=".copy-") as staged:
            shutil.copytree(hub / name, Path(staged, name), symlinks=True, ignore=shutil.ignore_patterns(UNFINISHED))
            Path(staged, name).rename(target)
    return target


def _bring(engine: str, disk: Path, pause: Callable[[float], None]) -> None:
    from huggingface_hub import constants

    settings, told = offered_settings(), ""
    while lacking := weights_lacking(settings, engine):
        said = f"{lacking.fact} {lacking.command or lacking.hint}, with HF_HOME={constants.HF_HOME}. Waiting for that."
        if said != told:
            _say(said)
        told = said
        pause(PAUSE_SECONDS)
    if repository := offered(settings)[engine].hub_id:
        _say(f"{engine}: {repository} is at {copy_weights(Path(constants.HF_HUB_CACHE), disk, repository)}.")


def _say(text: str) -> None:
    """To the log of the container, at once."""
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
