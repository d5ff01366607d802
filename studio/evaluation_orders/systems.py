"""Systems of an evaluation: engines with their options, checked against what they declare; and labels and ids that tell them apart."""

import json
from collections.abc import Iterable, Sequence

from engines.contract.contract import EngineInfo
from engines.contract.options import SWITCHES, Value, nearest, resolve_options
from studio.errors import EngineUnknown, EvaluationSystemUnreadable
from studio.evaluation_orders.asked import AskedSystem
from studio.evaluations.plan.plan import EvaluationSystem
from studio.evaluations.texts.ids import plain_id
from studio.service import Studio
from studio.settings import Settings

__all__ = ["free_id", "named_system", "systems_of"]

EMBEDDED = "embedded"  # what people call the engine that comes with the studio
EMBEDDED_ENGINE = Settings.model_fields["default_engine"].default
OF_REQUESTS = ("speed", "instructions")  # which are fields of a request, whatever the engine
MOST_ID_CHARACTERS = 60  # of 64, so that a number fits behind


def systems_of(studio: Studio, asked: Sequence[AskedSystem]) -> tuple[EvaluationSystem, ...]:
    """As a plan has them, each with a label and an id of its own. Raises EngineUnknown, OptionInvalid."""
    made: list[EvaluationSystem] = []
    for system in asked:
        label = _free_label(system.label or _label_of(system), [one.label for one in made])
        known = {"id": free_id(label, [one.id for one in made]), "label": label, "is_toy": system.is_toy}
        if system.engine is None:
            made.append(EvaluationSystem.model_validate(known))
            continue
        info = engine_called(studio, system.engine)
        resolve_options(info.options, system.options)
        of_request = {"options": dict(system.options), "speed": system.speed, "instructions": system.instructions}
        made.append(EvaluationSystem.model_validate(known | {"engine": info.id} | of_request))
    return tuple(made)


def engine_called(studio: Studio, name: str) -> EngineInfo:
    """By its id, the hub's id of its weights, or what people call it. Raises EngineUnknown, with the nearest name."""
    try:
        return studio.engine_info(name)
    except EngineUnknown:
        known = {status.info.id: status.info for status in studio.engines()}
        embedded = known.get(EMBEDDED_ENGINE)
        if name.strip().casefold() == EMBEDDED and embedded is not None:
            return embedded
        names = (*known, *((EMBEDDED,) if embedded else ()))
        raise EngineUnknown(name, nearest(name, names) or names) from None


def named_system(studio: Studio, text: str) -> AskedSystem:
    """Of `ENGINE`, `ENGINE:label`, `ENGINE:option=value,option=value` or all three. Raises EngineUnknown, OptionInvalid,
    EvaluationSystemUnreadable."""
    engine, *rest = text.split(":")
    info = engine_called(studio, engine)
    label, given = "", {}
    for part in filter(None, rest):
        if "=" in part:
            given |= dict(_assigned(one, text) for one in part.split(","))
        elif label:
            raise EvaluationSystemUnreadable(text)
        else:
            label = part
    of_request = {name: given.pop(name) for name in OF_REQUESTS if name in given and not _has_option(info, name)}
    if "speed" in of_request:
        of_request["speed"] = _number(of_request["speed"], text)
    if "toy" in given:
        of_request["is_toy"] = bool(SWITCHES.get(given.pop("toy").casefold()))
    options = {name: _parsed(info, name, value) for name, value in given.items()}
    return AskedSystem.model_validate({"engine": engine, "label": label, "options": options} | of_request)


def free_id(label: str, taken: Iterable[str]) -> str:
    """Plain letters of a label, with a number behind where that one is taken."""
    plain, names = plain_id(label)[:MOST_ID_CHARACTERS], set(taken)
    return next(one for one in (plain, *(f"{plain}-{n}" for n in range(2, len(names) + 3))) if one not in names)


def _label_of(system: AskedSystem) -> str:
    """The engine with what is set of it."""
    if system.engine is None:
        return system.files or ""
    told = [f"{name} {value}" for name, value in system.options.items()]
    told += [f"speed {system.speed:g}"] if system.speed != 1.0 else []
    return ", ".join([system.engine, *told])[:110]


def _free_label(label: str, taken: Sequence[str]) -> str:
    return next(one for one in (label, *(f"{label} ({n})" for n in range(2, len(taken) + 3))) if one not in taken)


def _assigned(part: str, text: str) -> tuple[str, str]:
    name, is_assigned, value = part.partition("=")
    if not is_assigned or not name.strip():
        raise EvaluationSystemUnreadable(text)
    return name.strip(), value.strip()


def _has_option(info: EngineInfo, name: str) -> bool:
    return any(option.name == name for option in info.options)


def _parsed(info: EngineInfo, name: str, value: str) -> Value:
    """In the option's own type. Of an option that the engine has not, as JSON says it: it is refused later, by name."""
    option = next((option for option in info.options if option.name == name), None)
    if option is not None:
        return option.parse(value)
    try:
        told = json.loads(value)
    except ValueError:
        return value
    return told if isinstance(told, Value) else value


def _number(value: str, text: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise EvaluationSystemUnreadable(text) from None
