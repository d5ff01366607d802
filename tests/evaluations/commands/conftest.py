"""A studio over fake engines and without ears, for tests of the command."""

from tests.stand_ins.opened_studio import no_estimators, open_studio

__all__ = ["no_estimators", "open_studio"]
