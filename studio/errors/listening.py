"""Errors of a listening test: why it cannot be made, heard, answered or counted."""

from engines.errors import CallerMistake
from studio.errors.studio_error import StudioError

__all__ = [
    "AnswerRefused",
    "ListenerKnown",
    "ListenerScreenedOut",
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
    "TestPreviewed",
    "TestQuotaFull",
    "TestRendering",
    "TestUnknown",
    "TestsNewer",
    "TestsUnreadable",
]


class TestMistake(StudioError, CallerMistake):
    """Of a listening test."""

    __test__ = False  # pytest takes what is called Test for tests


class TestUnknown(TestMistake):
    """There is none of that id, or it is somebody else's: nobody can tell which."""

    code = "test_unknown"
    status = 404
    parameter = "test"


class TestOwnerUnknown(TestMistake):
    """Visitors are kept apart, and a request that would make a test does not say whose it is."""

    code = "test_owner_unknown"
    status = 403


class TestLimitReached(TestMistake):
    """limit: listening tests that one workspace may have."""

    code = "test_limit_reached"
    status = 409

    def __init__(self, limit: int):
        super().__init__(n=limit)


class PlanUnusable(TestMistake):
    """field: the dotted place in the plan, as its JSON has it; "" for all of it. reason: in English, for programs."""

    code = "plan_unusable"
    parameter = "plan"

    def __init__(self, field: str, reason: str):
        super().__init__(sentence="plan_unusable_at" if field else "plan_unusable", detail=reason, field=field)
        self.field = field


class SoundUnusable(TestMistake):
    """An upload for a test. sentence: which fact it is, with its values."""

    code = "sound_unusable"
    parameter = "sound"


class TestFrozen(TestMistake):
    """It has begun: neither its plan nor its sounds change any more."""

    code = "test_frozen"
    status = 409


class TestRendering(TestMistake):
    """Its sounds are being made just now."""

    code = "test_rendering"
    status = 409


class TestNotReady(TestMistake):
    """What freezing waits for. failed: keys of the checks that are not passed (studio/listening/render/checks.py)."""

    code = "test_not_ready"
    status = 409

    def __init__(self, failed: tuple[str, ...]):
        super().__init__(detail=", ".join(failed), n=len(failed))
        self.failed = failed


class TestNotOpen(TestMistake):
    """It is a draft."""

    code = "test_not_open"
    status = 409


class TestClosed(TestMistake):
    """It takes no more listeners and no more answers."""

    code = "test_closed"
    status = 409


class TestFull(TestMistake):
    """limit: listeners who may begin one test."""

    code = "test_full"
    status = 409

    def __init__(self, limit: int):
        super().__init__(n=limit)


class TestQuotaFull(TestMistake):
    """quota: listeners who are enough, and have finished."""

    code = "test_quota_full"
    status = 409

    def __init__(self, quota: int):
        super().__init__(n=quota)


class TestPreviewed(TestMistake):
    """A recruiting service shows what the task would be; nobody has taken it yet."""

    code = "test_previewed"
    status = 409


class ResultsHidden(TestMistake):
    """Listeners still come, and who knows the results may sway them."""

    code = "results_hidden"
    status = 409


class ListenerUnknown(TestMistake):
    """No listener of this test has that token, or that name."""

    code = "listener_unknown"
    status = 404
    parameter = "listener"


class ListenerKnown(TestMistake):
    """Whoever has that id at a recruiting service has begun before, elsewhere, or is through."""

    code = "listener_known"
    status = 409
    parameter = "listener"


class ListenerScreenedOut(TestMistake):
    """By what they said of themselves they are not asked."""

    code = "listener_screened_out"
    status = 409
    parameter = "listener"


class AnswerRefused(TestMistake):
    """sentence: which fact it is, with its values."""

    code = "answer_refused"
    parameter = "answer"


class RenderFailed(StudioError):
    """Sounds of a test were not made; the log has why."""

    code = "render_failed"


class TestDamaged(StudioError):
    """A sound is not what was frozen, or gone."""

    __test__ = False
    code = "test_damaged"


class TestsUnreadable(StudioError):
    """The file that keeps all tests is damaged, or of something else. It is left as it is."""

    __test__ = False
    code = "tests_unreadable"
    status = 503


class TestsNewer(StudioError):
    """The file that keeps all tests was written by a later version. It is left as it is. version: of the file's form."""

    __test__ = False
    code = "tests_newer"
    status = 503

    def __init__(self, version: int):
        super().__init__(n=version)
