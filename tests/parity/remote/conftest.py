"""Two real vLLM-Omni servers, and one of another model with a key: for tests that are told of an interpreter which has the package."""

import os
from contextlib import closing

import pytest

from tests.parity.remote.router_process import RouterHost, RouterProcess

PYTHON = os.environ.get("PYTHON_OFFICIAL", "")
KEY, MOST_SPEAKERS = "a-key", 2


@pytest.fixture(scope="session")
def started(tmp_path_factory):
    """Of Qwen3-TTS's rules, twice, and of Fish's: these take a key, and few voices."""
    if not PYTHON:
        pytest.skip("needs PYTHON_OFFICIAL=a Python with vllm-omni 0.30.0, see tests/parity/remote/official.py")
    folder = tmp_path_factory.mktemp("routers")
    fish = ("--rules", "fish_speech", "--key", KEY, "--most-voices", str(MOST_SPEAKERS))
    with closing(RouterHost(PYTHON, folder)) as host:
        named = {"first": (), "second": (), "fish": fish}
        routers = [RouterProcess(host, folder / name, *options) for name, options in named.items()]
        for router in routers:
            router.start()
        yield routers


@pytest.fixture
def pair(started):
    return started[:2]


@pytest.fixture
def fish(started):
    return started[2]
