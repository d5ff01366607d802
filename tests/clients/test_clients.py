"""Every client works as it comes: at its defaults, given the address and a key, it gets what it asks for, and that is speech.

By `make test-clients`; `ARGS="-k openai"` for one of them. `ARGS="--key secret"` drives them against a studio that wants a key.
"""

import pytest

from tests.clients.environments import CLIENTS

CASES = [(name, case) for name, client in CLIENTS.items() for case in client.cases]


@pytest.mark.clients
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("client", "case"), CASES, ids=[f"{name}: {case}" for name, case in CASES])
def test_a_client_works_as_it_comes(client, case, installed, told):
    """Right in format, rate, length and voice, not silent, and a stream is heard before it ends."""
    heard = told(client)[case]
    assert not heard.wrong, [*heard.wrong, heard.told["note"], *heard.exchanges]
