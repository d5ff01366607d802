"""Tests of a cluster: they start Ray on this machine, so they run when they are asked for, and where Ray is installed."""

from importlib.util import find_spec

import pytest


def pytest_collection_modifyitems(config, items):
    reason = "starts a Ray cluster: make test-scale" if find_spec("ray") else "needs Ray: make test-scale installs it"
    if config.option.markexpr != "scale" or not find_spec("ray"):
        for item in items:
            if item.get_closest_marker("scale"):
                item.add_marker(pytest.mark.skip(reason=reason))
