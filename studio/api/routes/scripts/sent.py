"""What was sent to become a script: a text as JSON, a file as the body, or a file of a form."""

from dataclasses import dataclass, replace
from json import JSONDecodeError

from fastapi import Request
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile

from studio.api.answers.script_bodies import ScriptBody
from studio.errors import SchemaInvalid
from studio.scripts.script.script import ReadScript
from studio.scripts.scripts import Scripts
from studio.speech.schema_errors import schema_error, undecodable_body_error

__all__ = ["Sent", "sent_script", "uploaded"]

MOST_TITLE_CHARACTERS = 200


@dataclass(frozen=True)
class Sent:
    """filename: tells the format where the data leave a doubt. title: that it is to have, "" for its own."""

    data: bytes | str
    filename: str
    title: str

    def read_by(self, scripts: Scripts) -> ReadScript:
        """What it is taken for. Raises what intake does."""
        read = scripts.read_in(self.data, self.filename)
        return replace(read, head=read.head.model_copy(update={"title": self.title})) if self.title else read


async def sent_script(request: Request, filename: str) -> Sent:
    """filename: of a file that is the body itself. Raises SchemaInvalid."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    if kind == "application/json":
        return _of_json(await _json(request))
    if kind != "multipart/form-data":
        return Sent(await request.body(), filename, "")
    async with request.form(max_files=1, max_fields=4) as form:
        file, title = uploaded(form), form.get("title")
        named = title[:MOST_TITLE_CHARACTERS] if isinstance(title, str) else ""
        return Sent(await file.read(), file.filename or filename, named)


def uploaded(form: FormData) -> UploadFile:
    """The file of a form. Raises SchemaInvalid where there is none."""
    files = [value for value in form.values() if isinstance(value, UploadFile)]
    if not files:
        raise schema_error([{"type": "missing", "loc": ("body", "file"), "msg": "Field required", "input": None}])
    return files[0]


async def _json(request: Request) -> object:
    try:
        return await request.json()
    except UnicodeDecodeError as error:
        raise undecodable_body_error(error) from error
    except JSONDecodeError as error:
        where = {"type": "json_invalid", "loc": ("body", error.pos), "msg": "JSON decode error", "input": {}, "ctx": {"error": error.msg}}
        raise schema_error([where], error.doc if isinstance(error.doc, str) else None) from error
    except ValueError as error:
        raise SchemaInvalid(f"1 validation error:\n  {error}", "body", field="body") from error


def _of_json(body: object) -> Sent:
    try:
        read = ScriptBody.model_validate(body)
    except ValidationError as error:
        raise schema_error([{**one, "loc": ("body", *one["loc"])} for one in error.errors()]) from error
    return Sent(read.text, read.filename, read.title)
