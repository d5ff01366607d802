"""curl, by the line of docs/clients.md: without a shell, so that Windows runs it too."""

import shlex
import subprocess

from hearing import BLOCK, PRINTED, PRINTED_FILE, Sound, case, tell


@case("as printed", format="mp3", voice="high")
def as_printed(sound: Sound) -> None:
    sound.text = PRINTED
    subprocess.run(shlex.split(BLOCK), check=True, timeout=120)
    sound.add(PRINTED_FILE.read_bytes())


tell()
