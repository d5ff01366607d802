"""Of three processes of the suite two have the browser's files, and one computes."""

from types import SimpleNamespace

from tests.processes.two_kinds import BROWSER, TwoKinds

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


CONFIGURED = SimpleNamespace(getvalue={"tx": ["3*popen"]}.get, option=SimpleNamespace(loadscopereorder=False))


def test_two_processes_wait_for_pages_while_one_computes_and_then_all_compute():
    scheduler, processes = TwoKinds(CONFIGURED), [Process(n) for n in range(3)]
    tests = [f"{file}::test_{n}" for file in (*PAGES[:2], *OTHERS, *PAGES[2:]) for n in range(TESTS_OF_A_FILE)]
    for process in processes:
        scheduler.add_node(process)
        scheduler.add_node_collection(process, tests)
    scheduler.schedule()
    for n in range(len(tests)):
        for process in processes:
            if n < len(process.sent):
                scheduler.mark_test_complete(process, process.sent[n])
    files = [list(dict.fromkeys(tests[index].split("::")[0] for index in process.sent)) for process in processes]
    assert [sum(file.startswith(BROWSER) for file in each) for each in files] == [2, 2, 0]
    assert all(each[:2] == [file for file in each if file.startswith(BROWSER)] for each in files[:2])
    assert sorted(file for each in files for file in each) == sorted([*PAGES, *OTHERS]) and all(each[2:] for each in files)
