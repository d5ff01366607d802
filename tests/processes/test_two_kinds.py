"""Of three processes of the suite two have the browser's files, and one computes."""

from pathlib import Path
from types import SimpleNamespace

from tests.processes.shares import ALL, BROWSER, files_of_pages, share_of
from tests.processes.shares import PAGES as SHARE_OF_PAGES
from tests.processes.two_kinds import TwoKinds

TESTS_OF_A_FILE = 4
PAGES, OTHERS = [f"{BROWSER}test_{n}.py" for n in range(4)], [f"tests/studio/test_{n}.py" for n in range(8)]


class Process:
    """One of xdist's, as far as the scheduler sees it: what it is sent, in order."""

    def __init__(self, number: int):
        self.gateway = SimpleNamespace(id=f"gw{number}")
        self.shutting_down = False
        self.sent: list[int] = []

    def send_runtest_some(self, indices: list[int]) -> None:
        self.sent += indices

    def shutdown(self) -> None:
        self.shutting_down = True


SESSION = SimpleNamespace(testscollected=0)
CONFIGURED = SimpleNamespace(
    getvalue={"tx": ["3*popen"]}.get,
    option=SimpleNamespace(loadscopereorder=False),
    pluginmanager=SimpleNamespace(get_plugin={"session": SESSION}.get),
)
LONGEST = ["tests/engines/test_contract.py", "tests/crash/test_crash.py"]
FILES = [*PAGES[:2], *LONGEST, *OTHERS, *PAGES[2:]]


def every_test(*files: str) -> list[str]:
    return [f"{file}::test_{n}" for file in files for n in range(TESTS_OF_A_FILE)]


def run(scheduler: TwoKinds, collected: dict[Process, list[str]]) -> list[list[str]]:
    """Each process in its turn runs what it was sent; the files of each, in order."""
    n_done = dict.fromkeys(collected, 0)
    while any(n_done[process] < len(process.sent) for process in collected):
        for process in collected:
            if n_done[process] < len(process.sent):
                scheduler.mark_test_complete(process, process.sent[n_done[process]])
                n_done[process] += 1
    return [list(dict.fromkeys(tests[index].split("::")[0] for index in process.sent)) for process, tests in collected.items()]


def collect(scheduler: TwoKinds, process: Process, tests: list[str]) -> None:
    scheduler.add_node_collection(process, tests)
    if scheduler.collection_is_completed:
        scheduler.schedule()


def test_two_processes_wait_for_pages_while_one_computes_and_then_all_compute():
    scheduler, processes = TwoKinds(CONFIGURED), [Process(n) for n in range(3)]
    for process in processes:
        scheduler.add_node(process)
    for process in processes:
        collect(scheduler, process, every_test(*FILES))
    files = run(scheduler, dict.fromkeys(processes, every_test(*FILES)))
    assert [sum(file.startswith(BROWSER) for file in each) for each in files] == [2, 2, 0]
    assert all(each[:2] == [file for file in each if file.startswith(BROWSER)] for each in files[:2])
    assert sorted(file for each in files for file in each) == sorted(FILES) and all(each[2:] for each in files)
    assert scheduler.tests_finished and all(process.shutting_down for process in processes)


def test_each_runs_what_it_collected_and_nobody_waits_for_who_is_still_collecting():
    scheduler, processes = TwoKinds(CONFIGURED), [Process(n) for n in range(3)]
    parts = [every_test(*LONGEST, *PAGES)] * 2 + [every_test(*FILES)]
    for process in processes:
        scheduler.add_node(process)
    for process, part in zip(processes[:2], parts, strict=False):
        collect(scheduler, process, part)
    assert processes[0].sent and processes[1].sent and not scheduler.tests_finished
    collect(scheduler, processes[2], parts[2])
    assert SESSION.testscollected == len(FILES) * TESTS_OF_A_FILE
    files = run(scheduler, dict(zip(processes, parts, strict=True)))
    assert sorted(file for each in files for file in each) == sorted(FILES)
    assert set(LONGEST) <= {*files[0], *files[1]}  # whoever has no page left takes over
    assert files[2] == OTHERS
    assert scheduler.tests_finished and all(process.shutting_down for process in processes)


def test_two_processes_of_three_collect_pages_and_long_files_and_a_later_one_all():
    assert [share_of(n, 3) for n in range(5)] == [SHARE_OF_PAGES, SHARE_OF_PAGES, ALL, ALL, ALL]
    assert [share_of(n, 2) for n in range(2)] == [ALL, ALL]
    tests = Path("/tests")
    found = files_of_pages(tests, [tests.parent / file for file in (*FILES, "tests/ui/test_other.py")])
    assert {tests.parent / file for file in (*PAGES, *LONGEST, "tests/crash", "tests/engines", "tests/browser")} <= found
    assert not found & {tests.parent / file for file in (*OTHERS, "tests/studio", "tests/ui", "tests/ui/test_other.py")}
