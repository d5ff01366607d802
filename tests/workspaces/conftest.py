"""A studio over fake engines and without ears, for tests of workspaces."""

from tests.stand_ins.opened_studio import deaf, open_studio

__all__ = ["deaf", "open_studio"]
