"""Fixture of evaluations that are run: a studio over fake engines, opened anew whenever they are wanted."""

from tests.stand_ins.opened_studio import no_estimators, open_studio

__all__ = ["no_estimators", "open_studio"]
