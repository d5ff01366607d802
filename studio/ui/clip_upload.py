"""A file that a script sent through Gradio's upload: read once, then deleted. A voice does not stay in a folder of uploads."""

from dataclasses import dataclass
from pathlib import Path

from engines.errors import CallerMistake

__all__ = ["ClipAbsent", "ClipUpload", "read_upload"]


class ClipAbsent(CallerMistake):
    """No clip was recorded or chosen, or it did not arrive."""

    code = "clip_absent"
    parameter = "clip"


@dataclass(frozen=True)
class ClipUpload:
    """The bytes of one file as the browser had it."""

    data: bytes
    filename: str
    mime_type: str


def read_upload(sent: object, folder: Path) -> ClipUpload:
    """sent: {path, name, type}, or {problem, hint}, or None. Raises ClipAbsent.

    folder: where uploads lie; a path outside of it is not ours to read or to delete.
    """
    if not isinstance(sent, dict):
        raise ClipAbsent("There is no clip yet.", "Record 6 to 20 seconds, or upload a file.")
    if "problem" in sent:
        raise ClipAbsent(str(sent["problem"]), str(sent.get("hint", "")))
    path = Path(str(sent.get("path", ""))).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        raise ClipAbsent("The clip did not reach the studio.", "Press Create again; the clip is still on this page.")
    try:
        return ClipUpload(path.read_bytes(), str(sent.get("name") or path.name), str(sent.get("type") or ""))
    finally:
        path.unlink(missing_ok=True)
