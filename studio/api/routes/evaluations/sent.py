"""What was sent to be evaluated: a plan as JSON; or a form with the plan, recordings of voices, and ZIPs of the sounds of other systems."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from json import JSONDecodeError
from pathlib import Path
from typing import BinaryIO, cast

from fastapi import Request
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile

from engines.plain_json import read_json
from studio.api.answers.evaluation_bodies import EvaluationBody
from studio.errors import EvaluationFileUnknown, SchemaInvalid
from studio.evaluation_orders.asked import AskedEvaluation
from studio.evaluation_orders.materials import Materials, read_asked
from studio.evaluation_orders.orders import ReadyOrder, bring, order_of
from studio.evaluation_orders.sent_sounds import unpacked
from studio.evaluations.plan.evaluation import Evaluation
from studio.evaluations.plan.plan import MOST_SYSTEMS, MOST_VOICES
from studio.service import Studio
from studio.speech.schema_errors import schema_error, undecodable_body_error

__all__ = ["SentEvaluation", "sent_evaluation"]

SOUNDS_OF = "files:"  # and the label of a system, as the name of a field
CLIPS = "clips"
PLAN = "plan"


@dataclass(frozen=True)
class SentEvaluation:
    """clips: by file name. archives: by the label of their system. folder: for what is unpacked; it goes with the request."""

    asked: AskedEvaluation
    folder: Path
    clips: Mapping[str, Path] = field(default_factory=dict)
    archives: Mapping[str, BinaryIO] = field(default_factory=dict)

    def ready(self, studio: Studio) -> ReadyOrder:
        """For worker threads. Raises what reading and checking it does."""
        materials = read_asked(self.asked.texts, self.asked.voices, self.clips)
        return order_of(studio, self.asked, self._with_sounds(materials))

    def made(self, studio: Studio) -> tuple[Evaluation, bool, ReadyOrder]:
        """(the evaluation, whether it is new, what it was made of), with its sounds; begun where the plan says so. For worker threads.

        A visitor who may not begin one makes none with such a plan. Raises OwnerOnly, what `ready` and `Evaluations.create` do.
        """
        if self.asked.begin and studio.settings.has_visitors:
            studio.check_owner()
        ready = self.ready(studio)
        evaluation, is_new = studio.evaluations.create(ready.order)
        for _ in bring(studio.evaluations, evaluation.id, ready.sounds):
            pass
        if self.asked.begin:
            studio.evaluations.begin(evaluation.id)
        return evaluation, is_new, ready

    def _with_sounds(self, materials: Materials) -> Materials:
        folders: dict[str, Path] = {}
        for number, (label, archive) in enumerate(self.archives.items()):
            folders[label] = self.folder / f"sounds-{number}"
            folders[label].mkdir()
            unpacked(archive, folders[label])
        return materials.with_folders(folders)


@asynccontextmanager
async def sent_evaluation(request: Request) -> AsyncIterator[SentEvaluation]:
    """Raises SchemaInvalid, BodyTooLarge."""
    folder = Path(tempfile.mkdtemp(prefix="evaluation-"))
    try:
        if request.headers.get("content-type", "").partition(";")[0].strip().casefold() != "multipart/form-data":
            yield SentEvaluation(_asked(await request.body()), folder)
            return
        async with request.form(max_files=MOST_VOICES + MOST_SYSTEMS, max_fields=4, max_part_size=24 << 20) as form:
            plan = form.get(PLAN)
            data = await plan.read() if isinstance(plan, UploadFile) else (plan or "").encode()
            yield SentEvaluation(_asked(data, PLAN), folder, _clips(form, folder), _archives(form))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _clips(form: FormData, folder: Path) -> dict[str, Path]:
    """Each on disk, below a name of our own."""
    found: dict[str, Path] = {}
    for number, file in enumerate(one for one in form.getlist(CLIPS) if isinstance(one, UploadFile)):
        name = Path(file.filename or f"{number}").name
        if name in found:
            raise EvaluationFileUnknown(name, tuple(found))
        found[name] = folder / f"clip-{number}{Path(name).suffix[:8]}"
        with found[name].open("wb") as written:
            shutil.copyfileobj(file.file, written)
    return found


def _archives(form: FormData) -> dict[str, BinaryIO]:
    return {
        name.removeprefix(SOUNDS_OF): cast("BinaryIO", file.file)
        for name, file in form.multi_items()
        if name.startswith(SOUNDS_OF) and isinstance(file, UploadFile)
    }


def _asked(body: bytes, where: str = "body") -> AskedEvaluation:
    try:
        return EvaluationBody.model_validate(read_json(body.decode()))
    except UnicodeDecodeError as error:
        raise undecodable_body_error(error) from error
    except JSONDecodeError as error:
        told = {"type": "json_invalid", "loc": (where, error.pos), "msg": "JSON decode error", "input": {}, "ctx": {"error": error.msg}}
        raise schema_error([told], error.doc) from error
    except ValidationError as error:
        raise schema_error([{**one, "loc": (where, *one["loc"])} for one in error.errors()]) from error
    except ValueError as error:
        raise SchemaInvalid(f"1 validation error:\n  {error}", where, field=where) from error
