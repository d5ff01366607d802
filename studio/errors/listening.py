"""Errors of a listening test: why it cannot be made, heard, answered or counted."""

from engines.errors import CallerMistake, EngineError

__all__ = [
    "AnswerRefused",
    "ListenerUnknown",
    "PlanUnusable",
    "RenderFailed",
    "ResultsHidden",
    "SoundUnusable",
    "TestClosed",
    "TestDamaged",
    "TestFrozen",
    "TestFull",
    "TestLimitReached",
    "TestNotOpen",
    "TestNotReady",
    "TestOwnerUnknown",
    "TestRendering",
    "TestUnknown",
    "TestsNewer",
    "TestsUnreadable",
]


class TestMistake(CallerMistake):
    """Of a listening test."""

    __test__ = False  # pytest takes what is called Test for tests


class TestUnknown(TestMistake):
    """There is none of that id, or it is somebody else's: nobody can tell which."""

    code = "test_unknown"
    parameter = "test"

    def __init__(self):
        super().__init__("There is no such listening test.", "It was deleted, or the address is not complete.")


class TestOwnerUnknown(TestMistake):
    """Visitors are kept apart, and a request that would make a test does not say whose it is."""

    code = "test_owner_unknown"

    def __init__(self):
        super().__init__(
            "This studio keeps its visitors apart, and the request does not say whose test it would be.",
            "Use the page, or send a key of yours.",
        )


class TestLimitReached(TestMistake):
    """limit: listening tests that one workspace may have."""

    code = "test_limit_reached"

    def __init__(self, limit: int):
        super().__init__(f"There are {limit} listening tests, the limit.", "Delete one first; its report can be kept.", n=limit)
        self.limit = limit


class PlanUnusable(TestMistake):
    """field: the dotted place in the plan, as its JSON has it; "" for all of it. reason: in English, for programs."""

    code = "plan_unusable"
    parameter = "plan"

    def __init__(self, field: str, reason: str):
        where = f"`{field}`: " if field else ""
        super().__init__(
            f"The plan of the test cannot be used: {where}{reason}.",
            "Correct the plan.",
            sentence="plan_unusable_at" if field else "plan_unusable",
            field=field,
        )
        self.field = field
        self.reason = reason


class SoundUnusable(TestMistake):
    """An upload for a test. sentence: which fact it is, with its values."""

    code = "sound_unusable"
    parameter = "sound"

    def __init__(self, fact: str, hint: str, **values: object):
        super().__init__(fact, hint, **values)


class TestFrozen(TestMistake):
    """It has begun: neither its plan nor its sounds change any more."""

    code = "test_frozen"

    def __init__(self):
        super().__init__("The test is frozen: its plan and its sounds do not change any more.", "Make a new test of the same plan.")


class TestRendering(TestMistake):
    """Its sounds are being made just now."""

    code = "test_rendering"

    def __init__(self):
        super().__init__("The sounds of the test are being made just now.", "Wait until they are there, or stop it first.")


class TestNotReady(TestMistake):
    """What freezing waits for. failed: keys of the checks that are not passed (studio/listening/render/checks.py)."""

    code = "test_not_ready"

    def __init__(self, failed: tuple[str, ...]):
        super().__init__(
            f"The test cannot begin yet: {', '.join(failed)}.", "Look at the checks, and mend what is not as it should be.", n=len(failed)
        )
        self.failed = failed


class TestNotOpen(TestMistake):
    """It is a draft."""

    code = "test_not_open"

    def __init__(self):
        super().__init__("The test has not begun: it is a draft.", "Whoever made it has to freeze it first.")


class TestClosed(TestMistake):
    """It takes no more listeners and no more answers."""

    code = "test_closed"

    def __init__(self):
        super().__init__("The test is closed: it takes no more answers.", "Those that were given count.")


class TestFull(TestMistake):
    """limit: listeners who may begin one test."""

    code = "test_full"

    def __init__(self, limit: int):
        super().__init__(f"The test has had {limit} listeners, the limit.", "Ask whoever made it.", n=limit)
        self.limit = limit


class ResultsHidden(TestMistake):
    """Listeners still come, and who knows the results may sway them."""

    code = "results_hidden"

    def __init__(self):
        super().__init__(
            "The results are hidden while the test takes answers.", "Close the test, or unblind it, which is noted and cannot be undone."
        )


class ListenerUnknown(TestMistake):
    """No listener of this test has that token, or that name."""

    code = "listener_unknown"
    parameter = "listener"

    def __init__(self):
        super().__init__("The test knows no such listener.", "Open its link again, and begin anew.")


class AnswerRefused(TestMistake):
    """sentence: which fact it is, with its values."""

    code = "answer_refused"
    parameter = "answer"

    def __init__(self, fact: str, hint: str, **values: object):
        super().__init__(fact, hint, **values)


class RenderFailed(EngineError):
    """Sounds of a test were not made; the log has why."""

    code = "render_failed"

    def __init__(self):
        super().__init__("The sounds of the test could not be made.", "Try again; the log has the reason.")


class TestDamaged(EngineError):
    """A sound is not what was frozen, or gone."""

    __test__ = False
    code = "test_damaged"

    def __init__(self):
        super().__init__(
            "Sounds of this test are not what was frozen: somebody changed or deleted them.",
            "Put back the studio's folder from a copy, or make a new test of the same plan.",
        )


class TestsUnreadable(EngineError):
    """The file that keeps all tests is damaged, or of something else. It is left as it is."""

    __test__ = False
    code = "tests_unreadable"

    def __init__(self):
        super().__init__(
            "The file of the listening tests, tests.sqlite, is damaged or no file of tests. It was left as it is.",
            "Whoever runs the studio can put it back from a copy, or move it away to begin with none.",
        )


class TestsNewer(EngineError):
    """The file that keeps all tests was written by a later version. It is left as it is. version: of the file's form."""

    __test__ = False
    code = "tests_newer"

    def __init__(self, version: int):
        super().__init__(
            f"The file of the listening tests, tests.sqlite, was written by a later version of the studio (form {version}).",
            "Whoever runs the studio can use that version, or move the file away to begin with none.",
            n=version,
        )
