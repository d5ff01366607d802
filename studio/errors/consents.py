"""Errors of recorded consents: of a recording that is to be one, and of a voice that is to rest on one."""

from engines.errors import CallerMistake

__all__ = ["ConsentInUse", "ConsentOfAnother", "ConsentUnknown", "ConsentUnsaid", "ConsentsFull"]


class ConsentUnknown(CallerMistake):
    code = "consent_unknown"
    parameter = "consent"

    def __init__(self, consent_id: str):
        hint = "GET /v1/audio/voice_consents lists what there is."
        super().__init__(f"There is no recorded consent {consent_id[:80]!r}.", hint, id=consent_id[:80])


class ConsentUnsaid(CallerMistake):
    """The transcriber heard something else than a consent. heard: its words, "" for none. example: what could be said."""

    code = "consent_unsaid"
    parameter = "recording"

    def __init__(self, heard: str, example: str):
        super().__init__(
            f"No consent is heard in the recording, but {heard[:200]!r}." if heard else "No words are heard in the recording.",
            f"Say it in one plain sentence, such as: {example}",
            sentence="consent_unsaid" if heard else "consent_silent",
            heard=heard[:200],
            example=example,
        )


class ConsentOfAnother(CallerMistake):
    """likeness: cosine of the two, 0 to 1. least: what the least alike recordings of one person have."""

    code = "consent_of_another"
    parameter = "consent"

    def __init__(self, likeness: float, least: float):
        super().__init__(
            f"Another person speaks in the consent than in the voice's recording: their likeness is {likeness:.2f}, below {least:.2f}.",
            "Record the consent of the person whose voice it is.",
            likeness=round(likeness, 2),
            least=least,
        )


class ConsentInUse(CallerMistake):
    """Voices rest on it. names: of these."""

    code = "consent_in_use"
    parameter = "consent"

    def __init__(self, names: tuple[str, ...]):
        hint = "Delete them first, or send voices=delete to delete them with it."
        super().__init__(f"On this consent rest voices: {', '.join(names)}.", hint, names=names)


class ConsentsFull(CallerMistake):
    code = "consents_full"
    parameter = "recording"

    def __init__(self, limit: int):
        super().__init__(f"There are {limit} recorded consents, the limit.", "Delete one that no voice rests on.", n=limit)
