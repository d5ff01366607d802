"""survey: what the servers of a fleet say about themselves when an engine is opened."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from engines.remote.member import FleetMember, Unanswered
from engines.remote.refusals import Refusals
from engines.remote.wire import SpeechWire, refusal_of, said_in

__all__ = ["FleetSurvey", "ServerList", "server_list", "survey"]

SURVEY_SECONDS = 5.0  # for each answer; nobody speaks meanwhile


@dataclass(frozen=True)
class ServerList:
    """What one server says that it has: presets, names that were registered there, ids of models; () of a list that it does not have."""

    presets: tuple[str, ...]
    registered: frozenset[str]
    models: tuple[str, ...]


@dataclass(frozen=True)
class FleetSurvey:
    """presets, models: those that all servers have which answered, and which list any; differ: not all had the same presets.

    lists, failures: of the servers that can be spoken with now and that cannot, by base address.
    """

    presets: tuple[str, ...]
    models: frozenset[str]
    differ: bool
    lists: dict[str, ServerList]
    failures: dict[str, Unanswered]


async def survey(members: Sequence[FleetMember], wire: SpeechWire, refusals: Refusals) -> FleetSurvey:
    """Ask all at once. Raises EngineUnavailable where no model is set and they have none in common."""
    seen = await asyncio.gather(*(server_list(member, wire, refusals) for member in members), return_exceptions=True)
    found = {member.address: one for member, one in zip(members, seen, strict=True)}
    for one in found.values():
        if isinstance(one, BaseException) and not isinstance(one, Unanswered):
            raise one
    good = {address: one for address, one in found.items() if isinstance(one, ServerList)}
    sets = [frozenset(one.presets) for one in good.values()]
    shared = frozenset.intersection(*sets) if sets else frozenset()
    first = next(iter(good.values()), ServerList((), frozenset(), ())).presets
    model_sets = [frozenset(one.models) for one in good.values() if one.models]
    models = frozenset.intersection(*model_sets) if model_sets else frozenset()
    if model_sets and not models:
        raise refusals.models_differ()
    return FleetSurvey(
        presets=tuple(name for name in first if name in shared),
        models=models,
        differ=len(set(sets)) > 1,
        lists=good,
        failures={address: one for address, one in found.items() if isinstance(one, Unanswered)},
    )


async def server_list(member: FleetMember, wire: SpeechWire, refusals: Refusals) -> ServerList:
    """Raises Unanswered, with an error where the server is well and cannot be spoken with."""
    health = await member.ask("GET", wire.health_path, SURVEY_SECONDS)
    if health.status_code >= 500:
        raise Unanswered(f"is not well (HTTP {health.status_code})")
    served = wire.models(await _listed(member, wire.models_path, refusals))
    if wire.model and served and wire.model not in served:
        raise Unanswered("does not serve the model", error=refusals.no_model())
    voices = await _listed(member, wire.speakers_path, refusals)
    return ServerList(wire.presets(voices), wire.registered(voices), served)


async def _listed(member: FleetMember, path: str, refusals: Refusals) -> object:
    """A list of models or voices; None of a server that has no such list. Raises Unanswered."""
    response = await member.ask("GET", path, SURVEY_SECONDS)
    if response.is_success:
        if (listed := said_in(response)) is None:
            raise Unanswered("answered with what is no list")
        return listed
    refusal = refusal_of(response, refusals.secret)
    if refusal.concern == "absent":
        return None
    failure = refusals.of(refusal)
    raise failure if isinstance(failure, Unanswered) else Unanswered(f"refused (HTTP {refusal.status})", error=failure)
