"""Natural default: which engine sounds natural without a GPU. The page says why it is the default, or what would make it so."""

from studio.service import Studio

__all__ = ["natural_value"]


def natural_value(studio: Studio) -> dict[str, object] | None:
    """{engine, is_default, has_come, built_in}, what assets/web/engines/natural.js goes by; None where there is nothing to say.

    has_come: whether it became the default while the studio runs; where it was from the first, who chooses the built-in one knows why.
    built_in: the engine that comes with the studio, in whose place it would speak, "" where the usual one is another. A visitor
    is offered nothing that is not here: only the owner can get it.
    """
    default = studio.default
    engine = default.id if default.reason == "suits_cpu" else default.better
    if not engine or not (studio.is_owner or default.id == engine):
        return None
    is_built_in = studio.weights.status(default.usual).state == "included"
    built_in = default.usual if is_built_in else ""
    return {"engine": engine, "is_default": default.id == engine, "has_come": default.has_come, "built_in": built_in}
