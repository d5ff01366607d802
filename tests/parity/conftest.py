"""Tests of parity compute on one thread, as those of the engines do."""

from tests.engines.conftest import one_thread

__all__ = ["one_thread"]
