"""survey: what the servers of a fleet say of themselves when an engine is opened."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import httpx

from engines.remote.member import FleetMember, Unanswered
from engines.remote.refusals import Refusals
from engines.remote.wire import SpeechWire, refusal_of

__all__ = ["FleetSurvey", "survey"]

SURVEY_SECONDS = 5.0  # for each answer; nobody speaks meanwhile


@dataclass(frozen=True)
class FleetSurvey:
    """presets: those that all servers have which answered; differ: not all had the same. listed: base address -> speakers registered there.

    failures: of the servers that cannot be spoken with now, by base address.
    """

    presets: tuple[str, ...]
    differ: bool
    listed: dict[str, frozenset[str]]
    failures: dict[str, Unanswered]


@dataclass(frozen=True)
class _ServerList:
    presets: tuple[str, ...]
    registered: frozenset[str]


async def survey(members: Sequence[FleetMember], wire: SpeechWire, refusals: Refusals) -> FleetSurvey:
    """Ask all at once."""
    seen = await asyncio.gather(*(_seen(member, wire, refusals) for member in members), return_exceptions=True)
    found = {member.address: one for member, one in zip(members, seen, strict=True)}
    for one in found.values():
        if isinstance(one, BaseException) and not isinstance(one, Unanswered):
            raise one
    good = {address: one for address, one in found.items() if isinstance(one, _ServerList)}
    sets = [frozenset(one.presets) for one in good.values()]
    shared = frozenset.intersection(*sets) if sets else frozenset()
    first = next(iter(good.values()), _ServerList((), frozenset())).presets
    return FleetSurvey(
        presets=tuple(name for name in first if name in shared),
        differ=len(set(sets)) > 1,
        listed={address: one.registered for address, one in good.items()},
        failures={address: one for address, one in found.items() if isinstance(one, Unanswered)},
    )


async def _seen(member: FleetMember, wire: SpeechWire, refusals: Refusals) -> _ServerList:
    """Raises Unanswered."""
    health = await member.ask("GET", wire.health_path, SURVEY_SECONDS)
    if health.status_code >= 500:
        raise Unanswered(f"is not well (HTTP {health.status_code})")
    models = await _listed(member, wire.models_path, refusals)
    served = wire.models(models)
    if wire.model and served and wire.model not in served:
        raise Unanswered("does not serve the model", error=refusals.no_model())
    voices = await _listed(member, wire.speakers_path, refusals)
    return _ServerList(wire.presets(voices), wire.registered(voices))


async def _listed(member: FleetMember, path: str, refusals: Refusals) -> object:
    """A list of models or voices; None of a server that has no such list. Raises Unanswered."""
    response = await member.ask("GET", path, SURVEY_SECONDS)
    if response.is_success:
        return _json(response)
    refusal = refusal_of(response, refusals.secret)
    if refusal.concern == "absent":
        return None
    failure = refusals.of(refusal)
    raise failure if isinstance(failure, Unanswered) else Unanswered(f"refused (HTTP {refusal.status})", error=failure)


def _json(response: httpx.Response) -> object:
    try:
        return response.json()
    except ValueError:
        raise Unanswered("answered with what is no list") from None
