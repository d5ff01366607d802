"""Errors of recorded consents: of a recording that is to be one, and of a voice that is to rest on one."""

from engines.errors import CallerMistake
from studio.errors.studio_error import StudioError

__all__ = ["ConsentInUse", "ConsentOfAnother", "ConsentUnknown", "ConsentUnsaid", "ConsentsFull"]


class ConsentUnknown(StudioError, CallerMistake):
    code = "consent_unknown"
    status = 404
    parameter = "consent"

    def __init__(self, consent_id: str):
        super().__init__(hint="GET /v1/audio/voice_consents lists what there is.", id=consent_id[:80])


class ConsentUnsaid(StudioError, CallerMistake):
    """The transcriber heard something else than a consent. heard: its words, "" for none. example: what could be said."""

    code = "consent_unsaid"
    parameter = "recording"

    def __init__(self, heard: str, example: str):
        super().__init__(sentence="consent_unsaid" if heard else "consent_silent", heard=heard[:200], example=example)


class ConsentOfAnother(StudioError, CallerMistake):
    """likeness: cosine of the two, 0 to 1. least: what the least alike recordings of one person have."""

    code = "consent_of_another"
    parameter = "consent"

    def __init__(self, likeness: float, least: float):
        super().__init__(likeness=round(likeness, 2), least=least)


class ConsentInUse(StudioError, CallerMistake):
    """Voices rest on it. names: of these."""

    code = "consent_in_use"
    status = 409
    parameter = "consent"

    def __init__(self, names: tuple[str, ...]):
        super().__init__(hint="Delete them first, or send voices=delete to delete them with it.", names=names)


class ConsentsFull(StudioError, CallerMistake):
    code = "consents_full"
    status = 409
    parameter = "recording"

    def __init__(self, limit: int):
        super().__init__(n=limit)
