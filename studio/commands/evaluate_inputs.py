"""What the command `evaluate` was given: engines, voices, texts and sounds, read from names, files and folders."""

import argparse
import errno
import os
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from studio.errors import EvaluationIncomplete
from studio.evaluation_orders.asked import AskedEvaluation, AskedSystem, AskedVoice
from studio.evaluation_orders.materials import Materials, builtin, of_file
from studio.evaluation_orders.orders import ReadyOrder, order_of
from studio.evaluation_orders.systems import named_system
from studio.evaluations.texts.voices import read_voices
from studio.service import Studio
from studio.speech.schema_errors import schema_error

__all__ = ["ordered"]

BUILTIN = "builtin"
USUAL_LANGUAGES = ("en",)


def ordered(studio: Studio, options: argparse.Namespace) -> ReadyOrder:
    """Everything is read and checked, and nothing kept. Raises EngineError with what is to be mended, OSError."""
    systems = [named_system(studio, text) for text in options.engines]
    folders = dict(_folder(text) for text in options.files)
    materials = replace(_texts(options, _voices(options)), folders=folders)
    fields = {
        "title": options.title,
        "systems": [*systems, *(AskedSystem(files=label) for label in folders)],
        "seeds": tuple(range(options.seeds)),
        "learn": options.learn,
        "measures": options.measures,
        "versa": options.versa.read_text(encoding="utf-8") if options.versa else None,
    }
    if not fields["systems"]:
        names = ", ".join(status.info.id for status in studio.engines())
        raise EvaluationIncomplete(sentence="evaluation_without_systems", names=names)
    try:
        asked = AskedEvaluation.model_validate(fields)
    except ValidationError as error:
        raise schema_error(list(error.errors())) from error
    return order_of(studio, asked, materials)


def _voices(options: argparse.Namespace) -> Materials:
    names = tuple(AskedVoice(name=name) for name in dict.fromkeys(options.voices))
    recordings = read_voices(options.voices_from) if options.voices_from else ()
    return Materials(names=names, voices=recordings)


def _texts(options: argparse.Namespace, known: Materials) -> Materials:
    """The built-in ones where nothing is named, but for sounds alone: their folders may have lists of their own."""
    if options.texts is None and options.files and not options.engines:
        return known
    if options.texts is None or (options.texts == BUILTIN and not Path(BUILTIN).is_file()):
        texts = builtin(options.languages or USUAL_LANGUAGES, options.sentences)
        return replace(known, texts=texts)
    return of_file(known, Path(options.texts).expanduser(), options.languages, options.sentences)


def _folder(text: str) -> tuple[str, Path]:
    """(label, folder) of `LABEL=FOLDER`; a folder alone is called by its name. Raises OSError where it is none."""
    label, is_labeled, folder = text.partition("=")
    path = Path(folder if is_labeled else text).expanduser()
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    return (label.strip() if is_labeled else "") or path.resolve().name, path
