"""An error that crosses a process boundary arrives as it was."""

import pickle

from engines.errors import ClipUnusable, EngineFailed, EngineUnreachable, OptionInvalid
from studio.errors import EngineBusy, EngineFull
from studio.running.error_as_data import ErrorAsData


def test_an_error_is_the_same_after_a_pickle():
    raised = (
        ClipUnusable("clip_too_short", "Too short.", "Record more.", seconds=0.5),
        OptionInvalid("seed", "No.", "Another."),
        EngineUnreachable("Nobody there.", retry_after_seconds=7, engine="Fake"),
        EngineBusy("fake", 64, 3.0),
        EngineFull("Fake", 2, 3.0),
    )
    for error in raised:
        again = pickle.loads(pickle.dumps(ErrorAsData.of(error, "Fake"))).error()
        assert type(again) is type(error)
        assert (vars(again), str(again), again.code, again.parameter) == (vars(error), str(error), error.code, error.parameter)


def test_any_other_error_is_the_engines_failure_in_our_words():
    error = ErrorAsData.of(RuntimeError("CUDA"), "Fake").error()
    assert isinstance(error, EngineFailed)
    assert error.fact == "Fake could not finish this: CUDA."
    assert error.hint
