"""Guarded files: how the page sends its own files.

Browsers may not store them, other sites may not embed them; errors have the shape of the API's.
"""

import logging
from collections.abc import Callable

from starlette.responses import JSONResponse, Response

from engines.errors import CallerMistake, EngineError
from studio.audio.spoken_sounds import SoundGone
from studio.errors import EntryUnknown, FileUnreadable, SpeakerUnknown, TestUnknown
from studio.speech.refusal import refusal_of

__all__ = ["GUARDED", "answered_file"]

GUARDED = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin"}
ABSENT = (SpeakerUnknown, EntryUnknown, SoundGone, TestUnknown)

log = logging.getLogger("studio.ui")


def answered_file(make: Callable[[], Response]) -> Response:
    """The file, or what went wrong in the shape of the API's errors."""
    try:
        return make()
    except ABSENT as error:
        status, known = 404, error
    except CallerMistake as error:
        status, known = 400, error
    except EngineError as error:
        status, known = refusal_of(error).status, error
    except OSError as error:
        log.warning("a file could not be read: errno %s, %s", error.errno, error.strerror)
        status, known = 500, FileUnreadable()
    body = {"error": {"message": known.fact, "hint": known.hint, "code": known.code, "values": known.values}}
    return JSONResponse(body, status_code=status, headers=GUARDED)
