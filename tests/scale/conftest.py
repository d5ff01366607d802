"""Tests of a cluster: they start Ray on this machine, so they run when they are asked for, and where Ray is installed."""

from importlib.util import find_spec

import pytest


def pytest_addoption(parser):
    parser.addoption("--rounds", type=int, default=1, help="of requests while replicas are killed")


def pytest_generate_tests(metafunc):
    if "number" in metafunc.fixturenames:
        metafunc.parametrize("number", range(metafunc.config.getoption("--rounds", 1)))


def pytest_collection_modifyitems(config, items):
    reason = "starts a Ray cluster: make test-scale" if find_spec("ray") else "needs Ray: make test-scale installs it"
    if config.option.markexpr != "scale" or not find_spec("ray"):
        for item in items:
            if item.get_closest_marker("scale"):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def replicas(tmp_path_factory):
    """Two studios on one folder behind HAProxy, and one below a prefix; one cluster for all tests that ask for it."""
    from studio.scale.private_cluster import private_cluster
    from tests.scale.replicas import KEY, Replicas, served

    folder = tmp_path_factory.mktemp("cluster")
    (folder / "notes").mkdir()
    environment = {"SPEAKER_SAMPLES_DIR": str(folder / "speakers"), "STUDIO_API_KEYS": KEY, "OMP_NUM_THREADS": "1"}
    with private_cluster(served(), port=0, environment=environment) as cluster:
        yield Replicas(cluster, folder / "notes")
