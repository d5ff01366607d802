"""Settings from the environment. Nothing else of the project reads it."""

import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, cast

from pydantic import ValidationError

from engines.contract.options import Option, Value
from engines.errors import OptionInvalid
from studio.settings.settings import EngineSettings, Settings
from studio.settings.written import SettingsInvalid, read_remotes

__all__ = ["current_environment", "read_settings"]


def read_settings(
    environment: Mapping[str, str] | None = None,
    *,
    engines: Mapping[str, tuple[Option, ...]] = MappingProxyType({}),
    remote: Callable[[], tuple[Option, ...]] = tuple,
    own: Mapping[str, object] = MappingProxyType({}),
) -> Settings:
    """Settings from environment variables (the process's own when None). Raises SettingsInvalid.

    engines: ids and their load options. remote: load options of a remote engine, asked for where there is one.
    own: fields that are set otherwise, whatever the environment has.
    """
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = _written(environment) | dict(own)
    remotes = cast(Mapping[str, object], read_remotes(values.get("remotes", "")))
    values["remotes"] = remotes
    declared = dict(engines) | {name: remote() for name in remotes}
    for name in remotes:
        _check_remote(environment, name, declared)
    chosen = {name: _engine_settings(environment, name, options) for name, options in declared.items()}
    values.setdefault("engine_settings", {name: its for name, its in chosen.items() if its != EngineSettings()})
    values.setdefault("engine_secrets", _secrets(declared, chosen))
    try:
        return Settings.model_validate(values, context=tuple(engines))
    except ValidationError as error:
        raise _refusal(error, own) from None


def current_environment(*, without_settings: bool = False) -> dict[str, str]:
    """A copy of the process's environment, for a child process; on request without the studio's own variables."""
    titles = _titles()
    return {name: value for name, value in os.environ.items() if not (without_settings and name in titles)}


def _titles() -> dict[str, str]:
    """Variable -> field."""
    return {field.title: name for name, field in Settings.model_fields.items() if field.title}


def _written(environment: Mapping[str, str]) -> dict[str, Any]:
    """What is set, by field; an empty variable sets nothing."""
    titles = _titles()
    unknown = sorted(name for name in environment if name.startswith("STUDIO_") and name not in titles)
    if unknown:
        known = ", ".join(sorted(title for title in titles if title.startswith("STUDIO_")))
        raise SettingsInvalid(f"Unknown setting {', '.join(unknown)}. Known: {known}.")
    return {field: environment[title] for title, field in titles.items() if environment.get(title)}


def _refusal(error: ValidationError, own: Mapping[str, object]) -> SettingsInvalid:
    """The first of its facts, by the name by which it was set."""
    first = error.errors()[0]
    if isinstance(said := first.get("ctx", {}).get("error"), SettingsInvalid):
        return said
    name = str(first["loc"][0])
    if name not in Settings.model_fields:
        return SettingsInvalid(f"Unknown setting {name}. Known: {', '.join(sorted(Settings.model_fields))}.")
    title = name if name in own else Settings.model_fields[name].title
    return SettingsInvalid(f"{title}={first['input']!r}: {first['msg']}.")


def _secrets(declared: Mapping[str, tuple[Option, ...]], chosen: Mapping[str, EngineSettings]) -> tuple[str, ...]:
    """Values of options that are keys: nothing shows them."""
    secret = {(name, option.name) for name, options in declared.items() for option in options if option.kind == "secret"}
    return tuple(str(value) for name, its in chosen.items() for key, value in its.options.items() if (name, key) in secret)


def _engine_settings(environment: Mapping[str, str], name: str, own: tuple[Option, ...]) -> EngineSettings:
    given = {key: environment.get(f"{name}_{key}".upper()) or None for key in ("checkpoint", "device", "dtype")}
    options: dict[str, Value] = {}
    for option in own:
        title = f"{name}_{option.name}".upper()
        if environment.get(title):
            try:
                options[option.name] = option.parse(environment[title])
            except OptionInvalid as error:
                shown = title if option.kind == "secret" else f"{title}={environment[title]!r}"
                raise SettingsInvalid(f"{shown}: {error.fact}") from None
    return EngineSettings(**given, options=options)


def _check_remote(environment: Mapping[str, str], engine: str, declared: Mapping[str, tuple[Option, ...]]) -> None:
    """Nothing is set of a remote engine that it does not have: a key with a misspelt name would be sent to nobody."""
    known = {f"{name}_{option.name}".upper() for name, own in declared.items() for option in own}
    own = [f"{engine}_{option.name}".upper() for option in declared[engine]]
    other = [name for name in sorted(environment) if name.startswith(f"{engine}_".upper()) and name not in known]
    of_others = tuple(f"{name}_".upper() for name in declared if name != engine and name.startswith(f"{engine}_"))
    unknown = [name for name in other if environment[name] and not (of_others and name.startswith(of_others))]
    if unknown:
        raise SettingsInvalid(f"Unknown setting {', '.join(unknown)}. Known of {engine}: {', '.join(own) or 'none'}.")
