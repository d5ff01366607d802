"""What a page measured while it heard a take, kept with the take in the history and in the status of its voice."""

from studio.service import Studio
from studio.ui.gradio.messages import answered

__all__ = ["note_first_sound"]


@answered
def note_first_sound(studio: Studio, asked: dict[str, object]) -> dict[str, object]:
    """{is_kept}: whether the take has a time to first sound by now. asked: {entry, seconds}, from the press to the first sample."""
    seconds = asked["seconds"]
    if not isinstance(seconds, int | float):
        return {"is_kept": False}
    entry = studio.history.note_heard(str(asked["entry"]), float(seconds))
    if entry.heard_seconds is None:
        return {"is_kept": False}
    if entry.generation_id is not None and entry.first_sound is not None:
        studio.prompts.record_heard(entry.generation_id, entry.engine, entry.start, entry.first_sound)
    return {"is_kept": True}
