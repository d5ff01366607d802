"""Real clients against a running studio: they are installed, driven and listened to when they are asked for, by `make test-clients`."""

from pathlib import Path

import pytest

from tests.clients.environments import CLIENTS, PAGE, ROOT, TABLE, install, missing

MARK = "clients"
_reasons: dict[str, str] = {}  # client -> why it is not here
_heard: list[tuple] = []  # (client, case, what it heard)


def pytest_addoption(parser):
    group = parser.getgroup("clients")
    group.addoption("--app", default=str(ROOT / "app.py"), help="of another checkout: the studio that clients are driven against")
    group.addoption("--base", default="/openai/v1", help="where that one has OpenAI's API")
    group.addoption("--key", default="", help="that the studio wants")
    group.addoption("--write-table", action="store_true", help="into docs/clients.md, once all of them were driven")
    group.addoption("--all-clients", action="store_true", help="a client that cannot be installed fails instead of being left out")


def _is_asked(config) -> bool:
    return config.option.markexpr == MARK


def pytest_collection_modifyitems(config, items):
    if not _is_asked(config):
        skip = pytest.mark.skip(reason="installs packages of others: make test-clients")
        for item in items:
            if item.get_closest_marker(MARK):
                item.add_marker(skip)


def pytest_collection_finish(session):
    """What the chosen tests need is installed before the first of them, and said before that."""
    if not _is_asked(session.config) or session.config.option.collectonly:
        return
    chosen = dict.fromkeys(item.callspec.params["client"] for item in session.items if item.get_closest_marker(MARK))
    lacking = missing(CLIENTS[name] for name in chosen)
    with session.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        if lacking:
            sizes = ", ".join(f"{client.name} {client.megabytes:.0f}" for client in lacking)
            print(
                f"\nTo fetch into .clients, once: up to {sum(client.megabytes for client in lacking):.0f} MB on the disk ({sizes}).",
                flush=True,
            )
        for client in lacking:
            if reason := install(client):
                _reasons[client.name] = reason
            print(f"  {client.name}: {reason or 'installed'}", flush=True)


@pytest.fixture(scope="session")
def driven(request, tmp_path_factory):
    from tests.clients.driven import started

    option = request.config.option
    with started(tmp_path_factory.mktemp("clients"), Path(option.app).resolve(), option.base, option.key) as studio:
        yield studio


@pytest.fixture(scope="session")
def told(driven):
    """Of a client: case -> what it heard; each is driven once."""
    kept = {}

    def told(name: str) -> dict:
        if name not in kept:
            kept[name] = driven.drive(CLIENTS[name])
            _heard.extend((name, case, heard) for case, heard in kept[name].items())
        return kept[name]

    return told


@pytest.fixture
def installed(request, client):
    reason = _reasons.get(client)
    if reason and request.config.option.all_clients:
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)


def pytest_terminal_summary(terminalreporter, config):
    if not _heard:
        return
    from tests.clients.told import table

    lines = table(_heard)
    (ROOT / "out").mkdir(exist_ok=True)
    (ROOT / "out/clients.md").write_text(lines, "utf-8")
    terminalreporter.write_sep("=", "what clients heard, also in out/clients.md")
    terminalreporter.write_line(lines)
    if config.option.write_table and len(_heard) == sum(len(client.cases) for client in CLIENTS.values()):
        text = PAGE.read_text("utf-8")
        PAGE.write_text(text[: text.index(TABLE)] + TABLE + lines, "utf-8")
