"""Whether a name is free, said while it is typed; and if it is not, whose it is and what can be done about it."""

from studio.service import Studio
from studio.ui.gradio.messages import answered

__all__ = ["judge_name"]

HELD_BY = {"own": "own", "everybody": "everybody", "built in": "built_in"}  # NameHolder, as keys of words


@answered
def judge_name(studio: Studio, asked: dict) -> dict[str, object]:
    """asked: {name, but}, but: the voice that will have the name, if it is stored.

    {clash: None, or {held_by, name, free_name, can_replace}}. held_by: own, everybody, built_in; immutable for an own one that cannot be
    replaced in this studio.
    """
    clash = studio.library.name_clash(str(asked.get("name") or "").strip(), str(asked.get("but") or ""))
    if clash is None:
        return {"clash": None}
    is_fixed = clash.holder == "own" and studio.settings.registration_policy == "immutable"
    held_by = "immutable" if is_fixed else HELD_BY[clash.holder]
    return {"clash": {"held_by": held_by, "name": clash.name, "free_name": clash.free_name, "can_replace": held_by == "own"}}
