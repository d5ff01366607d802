"""Whether a name is free, said while it is typed; and if it is not, whose it is and what can be done about it."""

from studio.library.library import NameHolder
from studio.service import Studio
from studio.ui.messages import answered

__all__ = ["judge_name"]

HOLDER_WORDS: dict[NameHolder, str] = {
    "own": "There is a voice “{name}” already.",
    "everybody": "Everybody has a voice “{name}”; it cannot be replaced.",
    "built in": "“{name}” is built into an engine; it cannot be replaced.",
}
IMMUTABLE = "There is a voice “{name}” already, and this studio replaces none. Delete it first, or choose another name."


@answered
def judge_name(studio: Studio, asked: dict) -> dict[str, object]:
    """asked: {name, but}, but: the voice that will have the name, if it is stored. {clash: None, or {words, free_name, can_replace}}."""
    clash = studio.library.name_clash(str(asked.get("name") or "").strip(), str(asked.get("but") or ""))
    if clash is None:
        return {"clash": None}
    is_fixed = clash.holder == "own" and studio.settings.registration_policy == "immutable"
    words = (IMMUTABLE if is_fixed else HOLDER_WORDS[clash.holder]).format(name=clash.name)
    return {"clash": {"words": words, "free_name": clash.free_name, "can_replace": clash.holder == "own" and not is_fixed}}
