"""What hostile files, bundles and uploads say of a voice: every field of the metadata, with every value that is none."""

import json
from pathlib import Path

from studio.speakers.file import header_bytes
from studio.speakers.speaker import Speaker
from tests.studio.speakers.store_subjects import OMNI, clip_of

__all__ = ["DEEP", "FIELDS", "TEXTS", "VALUES", "write_hostile_files"]

# Texts that no entrance takes, by what is wrong with them.
TEXTS = {
    "half a character": "a\ud800b",
    "its other half": "\udfff",
    "pair in the wrong order": "\udc00\ud800",
    "NUL": "a\0b",
    "escape": "\x1b[2J",
}
DEEP = "[" * 50_000
# As a file states them: all are strings there.
VALUES = (
    *TEXTS.values(), "", " ", "NaN", "Infinity", "-Infinity", "-1", "1e999", "9" * 400, "1.5", "null", "true", "x" * 100_000,
    "\u202e", "\ufeff", "{}", "[]", "[1]", "[null]", '["\\ud800"]', '["a\\u0000"]', json.dumps(["a"] * 33), json.dumps(["a" * 65]),
    '{"a": NaN}', DEEP,
)  # fmt: skip
CLIP = clip_of(1, seconds=0.005)
OURS = Speaker(
    "Ours", "0" * 32, "c1", 7, clip_digest=CLIP.digest, seconds=CLIP.seconds, sample_rate=CLIP.sample_rate, tags=("a",), revision=1
)
RECORD = {"version": "1", "reason": "own", "statement": "mine", "who": "me", "given_at": "now", "clip_digest": CLIP.digest}
FIELDS = (
    "name", "voice_name_lower", "consent", "created_at", "mime_type", "original_filename", "file_size", "sample_rate", "ref_text",
    "embedding_source", "embedding_dim", "speaker_description", "clip_digest", "seconds", "language", "tags", "consent_record", "revision",
    "workspace", "something_new",
)  # fmt: skip


def write_hostile_files(folder: Path) -> int:
    """One file per field and value, of vLLM-Omni's form and of ours, each of another name; how many there are."""
    header = header_bytes(OURS, CLIP.samples)
    ours = json.loads(header[8:])["__metadata__"]
    said = [(field, value) for field in FIELDS for value in VALUES]
    said += [("consent_record", json.dumps(RECORD | {part: text})) for part in RECORD for text in TEXTS.values()]
    made = [(field, value, metadata) for field, value in said for metadata in (ours | {"ref_text": "words"}, OMNI)]
    for n, (field, value, metadata) in enumerate(made):
        own = {"name": f"voice {n}", "created_at": str(n)} | ({"generation_id": f"{n:032x}"} if "generation_id" in metadata else {})
        hostile = {field: f"{value}{n}" if field == "name" and value.strip() else value}
        _write(folder / f"{n}.safetensors", metadata | own | hostile)
    return len(made)


def _write(path: Path, metadata: dict[str, str]) -> None:
    tensor = {"dtype": "F32", "shape": [len(CLIP.samples)], "data_offsets": [0, CLIP.samples.nbytes]}
    text = json.dumps({"__metadata__": metadata, "audio": tensor}).encode()  # escaped, so that half a character is ASCII
    path.write_bytes(len(text).to_bytes(8, "little") + text + CLIP.samples.tobytes())
