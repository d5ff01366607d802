"""Uploads: sounds of other people's systems, and references, sent for a draft. They are files in the draft's folder."""

import re
from collections.abc import Sequence
from pathlib import Path

from engines.durable import fit_name, put_file, remove_file, sync_directory
from studio.audio.decode import MOST_UPLOAD_BYTES, decode_clip
from studio.errors import SoundUnusable
from studio.listening.plan.plan import Plan

__all__ = ["MOST_SOUND_SECONDS", "REFERENCE", "UPLOADS", "Uploads"]

MOST_SOUND_SECONDS = 60.0
MOST_BYTES = 256 << 20  # of one test's uploads together
LEAST_SOUND_SECONDS = 0.4  # a block of BS.1770, without which there is no loudness to match
UPLOADS = "uploads"  # below a test's folder
REFERENCE = "reference"  # in place of a system, for files of the open reference
_NAME = re.compile(r"_?(?P<system>[a-z0-9][a-z0-9_-]{0,31})\.(?P<text>[0-9]{1,3})(?P<suffix>\.[a-z0-9]{1,5})?")


class Uploads:
    """folder: of one test. Names are `<system>.<text><suffix>`; one for each text of a system, the last that was sent."""

    def __init__(self, folder: Path):
        self._folder = folder / UPLOADS

    def files(self) -> dict[tuple[str, int], Path]:
        """(system, text) -> file; both as the plan has them."""
        found = ((_NAME.fullmatch(path.name), path) for path in sorted(self._folder.glob("*")))
        return {(name["system"], int(name["text"])): path for name, path in found if name}

    def add(self, plan: Plan, system: str, text: int, data: bytes, filename: str) -> None:
        """Checked and on disk when it returns. Raises SoundUnusable, what `decode_clip` raises, OSError."""
        _check_place(plan, system, text)
        clip = decode_clip(data, filename=filename, most_bytes=MOST_UPLOAD_BYTES, most_seconds=MOST_SOUND_SECONDS)
        if clip.seconds < LEAST_SOUND_SECONDS:
            raise SoundUnusable(sentence="sound_too_short", seconds=clip.seconds, least=LEAST_SOUND_SECONDS)
        files = self.files()
        before = files.pop((system, text), None)
        n_bytes = len(data) + sum(path.stat().st_size for path in files.values())
        if n_bytes > MOST_BYTES:
            raise SoundUnusable(sentence="sounds_too_large", size_bytes=n_bytes, most_bytes=MOST_BYTES)
        self._folder.mkdir(parents=True, exist_ok=True)
        suffix = Path(filename).suffix.lower()
        path = self._folder / fit_name(f"{system}.{text}{suffix if re.fullmatch(r'[.][a-z0-9]{1,5}', suffix) else ''}")
        put_file(path, [data])
        if before not in (None, path):
            remove_file(before)
        sync_directory(self._folder)

    def follow(self, before: Sequence[str], after: Sequence[str]) -> None:
        """Files go with their texts where some of these are left out. before, after: the texts of the plan. Raises OSError."""
        places = _places_of(before, after)
        for (_, text), path in sorted(self.files().items(), key=lambda one: one[0][1]) if places else ():
            name = _NAME.fullmatch(path.name)
            if text not in places:
                remove_file(path)
            elif places[text] != text and name:
                path.replace(self._folder / fit_name(f"{name['system']}.{places[text]}{name['suffix'] or ''}"))


def _places_of(before: Sequence[str], after: Sequence[str]) -> dict[int, int]:
    """Index before -> index after; {} where the texts are not the same with some left out."""
    if len(after) >= len(before):
        return {}
    places: dict[int, int] = {}
    for at, text in enumerate(before):
        if len(places) < len(after) and after[len(places)] == text:
            places[at] = len(places)
    return places if len(places) == len(after) else {}


def _check_place(plan: Plan, system: str, text: int) -> None:
    from_files = {one.id for one in plan.systems if one.source == "files"}
    if plan.reference is not None and plan.reference.source == "files":
        from_files.add(REFERENCE)
    if system not in from_files:
        raise SoundUnusable(sentence="sound_of_no_system", system=system[:40])
    if not 0 <= text < len(plan.texts):
        raise SoundUnusable(sentence="sound_of_no_text", number=text + 1, n=len(plan.texts))
