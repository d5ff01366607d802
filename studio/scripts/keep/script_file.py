"""Script file: a script as a JSON value, with its takes or without, which comes in again as it was.

    {"format": "voice-studio-script", "version": 1, "head": {...}, "cast": [...], "dictionary": [...], "cover": {"media_type", "data"},
     "lines": [{..., "takes": [{...}], "chosen": "id"}], "sounds": {"<sha256>": "<FLAC as base64>"}}

What has its default is left out. Sounds stand in it, or lie beside it, as in a ZIP, by the same hashes.
"""

import base64
import binascii
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter, ValidationError

from studio.errors import EditRefused, LexiconEntryInvalid, LexiconFull, ScriptFileUnusable
from studio.reading.lexicon.entry import LexiconEntry
from studio.reading.lexicon.lexicon import Lexicon
from studio.scripts.keep.covers import Cover
from studio.scripts.keep.drafted_edits import cast_json
from studio.scripts.script.cast import CastMember
from studio.scripts.script.line import MOST_TAKES, LineText, ScriptLine
from studio.scripts.script.script import ReadScript, ReadTake, Script, ScriptHead
from studio.scripts.script.take import LineTake

__all__ = ["FORMAT", "from_plain", "is_script", "to_plain"]

FORMAT = "voice-studio-script"
VERSION = 1
_TAKE, _LINE = TypeAdapter(LineTake), TypeAdapter(LineText)
SoundOf = Callable[[str], bytes]  # SHA-256 of a take -> its FLAC file


def to_plain(
    script: Script, lines: Iterable[ScriptLine], cover: Cover | None = None, *, has_takes: bool = False, sound_of: SoundOf | None = None
) -> dict[str, Any]:
    """As JSON has it. has_takes: with what is known of the takes; their sounds are for the caller to put beside it. sound_of: puts them
    into it, which takes a third more than they have and is held in memory. Raises what sound_of does."""
    plain: dict[str, Any] = {"format": FORMAT, "version": VERSION, "head": script.head.model_dump(mode="json", exclude_defaults=True)}
    plain["cast"] = [member.model_dump(mode="json", exclude_defaults=True) for member in script.cast]
    plain["dictionary"] = [asdict(entry) for entry in script.dictionary]
    if cover is not None:
        plain["cover"] = {"media_type": cover.media_type, "data": _base64(cover.image)}
    sounds: dict[str, str] = {}
    plain["lines"] = []
    for line in lines:
        told = line.written.model_dump(mode="json", exclude_defaults=True)
        if line.takes and (has_takes or sound_of is not None):
            told["takes"] = [_TAKE.dump_python(take, mode="json", exclude_defaults=True) for take in line.takes]
            told["chosen"] = line.chosen
            if sound_of is not None:
                sounds.update({take.sha256: _base64(sound_of(take.sha256)) for take in line.takes if take.sha256 not in sounds})
        plain["lines"].append(told)
    return plain | ({"sounds": sounds} if sound_of is not None else {})


def is_script(plain: object) -> bool:
    """Whether a JSON value says that it is one."""
    return isinstance(plain, Mapping) and plain.get("format") == FORMAT


def from_plain(plain: object, sound_of: SoundOf | None = None) -> ReadScript:
    """What to_plain made. sound_of: of sounds that lie beside it; raises KeyError for one that does not. Raises ScriptFileUnusable.

    A take without its sound is left out, and told in the notes: ("note_takes_left_out", {"n": how many}).
    """
    if not is_script(plain):
        raise ScriptFileUnusable(f'it has no "format": "{FORMAT}"')
    told: Mapping[str, Any] = plain  # type: ignore[assignment]
    version = told.get("version")
    if not isinstance(version, int) or version < 1:
        raise ScriptFileUnusable("it has no version")
    if version > VERSION:
        raise ScriptFileUnusable(sentence="script_file_newer", n=version)
    try:
        return _read(told, sound_of or _sounds_within(told.get("sounds", {})))
    except ValidationError as error:
        first = error.errors()[0]
        raise ScriptFileUnusable(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    except (LookupError, TypeError, ValueError, AttributeError, binascii.Error) as error:
        raise ScriptFileUnusable(f"{type(error).__name__}: {error}") from error
    except (EditRefused, LexiconEntryInvalid, LexiconFull) as error:
        raise ScriptFileUnusable(error.fact) from error


def _read(told: Mapping[str, Any], sound_of: SoundOf) -> ReadScript:
    cast = tuple(CastMember(**member) for member in told.get("cast", ()))
    cast_json(cast)  # that no two have one name
    dictionary = Lexicon(LexiconEntry(**entry).checked() for entry in told.get("dictionary", ())).entries
    lines, takes, n_left_out = [], [], 0
    for index, line in enumerate(told["lines"]):
        lines.append(_LINE.validate_python({name: value for name, value in line.items() if name not in ("takes", "chosen")}))
        kept = [_TAKE.validate_python(take) for take in line.get("takes", ())]
        if len(kept) > MOST_TAKES or len({take.id for take in kept}) < len(kept):
            raise ValueError(f"the takes of line {index}")
        for take in kept:
            try:
                takes.append(ReadTake(index, take, sound_of(take.sha256), take.id == line.get("chosen")))
            except KeyError:
                n_left_out += 1
    cover = told.get("cover")
    return ReadScript(
        ScriptHead(**told.get("head", {})),
        tuple(lines),
        cast,
        "script",
        dictionary,
        (("note_takes_left_out", {"n": n_left_out}),) if n_left_out else (),
        None if cover is None else base64.b64decode(cover["data"], validate=True),
        tuple(takes),
    )


def _sounds_within(sounds: Mapping[str, str]) -> SoundOf:
    return lambda digest: base64.b64decode(sounds[digest], validate=True)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
