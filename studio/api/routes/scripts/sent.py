"""What was sent to become a script: a text as JSON, a file as the body, or a file of a form. It lies on disk while it comes."""

import tempfile
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from json import JSONDecodeError
from typing import BinaryIO, cast

from fastapi import Request
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile

from engines.plain_json import read_json
from studio.api.answers.script_answers import ReadScriptAnswer
from studio.api.answers.script_bodies import ScriptBody
from studio.errors import SchemaInvalid
from studio.scripts.intake.read import read_script, readable_as
from studio.scripts.script.script import ReadScript
from studio.speech.schema_errors import schema_error, undecodable_body_error
from studio.web.body_limit import BodyTooLarge

__all__ = ["Sent", "sent_script", "uploaded"]

MEBIBYTE = 1 << 20
MOST_JSON_BYTES = 20 * MEBIBYTE  # four million characters, and their escapes
IN_MEMORY_BYTES = MEBIBYTE  # of a body, before it lies on disk
LARGE_BYTES = 16 * MEBIBYTE  # of which one is read at a time, so that many at once cost no gigabytes
MOST_TITLE_CHARACTERS = 200
_LARGE = threading.Lock()


@dataclass(frozen=True)
class Sent:
    """file: what was sent; text: of JSON, in its place. filename: tells the format where the data leave a doubt. title: that it is to have,
    "" for its own. read_as: its format, where somebody knows it better."""

    file: BinaryIO | None = None
    n_bytes: int = 0
    text: str = ""
    filename: str = ""
    title: str = ""
    read_as: str = ""

    def read(self) -> ReadScript:
        """For worker threads. Raises what intake does."""
        with _LARGE if self.n_bytes > LARGE_BYTES else nullcontext():
            read = read_script(self._data(), self.filename, as_format=self.read_as or None)
        return replace(read, head=read.head.model_copy(update={"title": self.title})) if self.title else read

    def told(self) -> ReadScriptAnswer:
        """What it is taken for, and could be taken for. Raises what intake does."""
        with _LARGE if self.n_bytes > LARGE_BYTES else nullcontext():
            others = readable_as(self._data())
        return ReadScriptAnswer.of(self.read(), others)

    def _data(self) -> bytes | str:
        if self.file is None:
            return self.text
        self.file.seek(0)
        return self.file.read()


@asynccontextmanager
async def sent_script(request: Request, filename: str, read_as: str) -> AsyncIterator[Sent]:
    """filename, read_as: of a file that is the body itself. Raises SchemaInvalid, BodyTooLarge."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    if kind == "multipart/form-data":
        async with request.form(max_files=1, max_fields=4) as form:
            file = uploaded(form)
            asked = {name: text if isinstance(text := form.get(name), str) else "" for name in ("title", "read_as")}
            title = asked["title"][:MOST_TITLE_CHARACTERS]
            yield Sent(cast("BinaryIO", file.file), file.size or 0, "", file.filename or filename, title, asked["read_as"] or read_as)
        return
    with tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES) as body:
        n_bytes = 0
        async for block in request.stream():
            n_bytes += len(block)
            if kind == "application/json" and n_bytes > MOST_JSON_BYTES:
                raise BodyTooLarge(MOST_JSON_BYTES)
            body.write(block)
        if kind == "application/json":
            body.seek(0)
            yield _of_json(body.read())
        else:
            yield Sent(cast("BinaryIO", body), n_bytes, "", filename, "", read_as)


def uploaded(form: FormData) -> UploadFile:
    """The file of a form. Raises SchemaInvalid where there is none."""
    files = [value for value in form.values() if isinstance(value, UploadFile)]
    if not files:
        raise schema_error([{"type": "missing", "loc": ("body", "file"), "msg": "Field required", "input": None}])
    return files[0]


def _of_json(body: bytes) -> Sent:
    try:
        read = ScriptBody.model_validate(read_json(body.decode()))
    except UnicodeDecodeError as error:
        raise undecodable_body_error(error) from error
    except JSONDecodeError as error:
        where = {"type": "json_invalid", "loc": ("body", error.pos), "msg": "JSON decode error", "input": {}, "ctx": {"error": error.msg}}
        raise schema_error([where], error.doc) from error
    except ValidationError as error:
        raise schema_error([{**one, "loc": ("body", *one["loc"])} for one in error.errors()]) from error
    except ValueError as error:
        raise SchemaInvalid(f"1 validation error:\n  {error}", "body", field="body") from error
    return Sent(text=read.text, filename=read.filename, title=read.title, read_as=read.read_as)
