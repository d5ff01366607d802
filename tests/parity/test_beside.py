"""Figures beside official packages, at toy size: every row is there, columns are compared, the number of frames is the one asked for."""

import json
import math
from dataclasses import asdict
from pathlib import Path

import pytest

from engines.kit.gauges import device_figures
from tests.engines.pocket_tts import tiny_checkpoint as pocket_tts
from tests.engines.qwen3_tts.checkpoints import tiny_checkpoint as qwen3_tts
from tests.engines.voxcpm2 import tiny_checkpoint as voxcpm2
from tests.parity import beside as figures
from tests.parity import our_figures
from tests.parity.comparison import ROWS, comparison_table, merged, rows_of_streams

OURS = [figures.sys.executable, "-m", "tests.parity.our_figures"]
WRITE = {
    "qwen3_tts": qwen3_tts.write_tiny_checkpoint,
    "pocket_tts": lambda folder: pocket_tts.write_tiny_checkpoint(folder, ends_after=math.inf),
    "voxcpm2": lambda folder: voxcpm2.write_tiny_checkpoint(folder, ends_after=math.inf),
}
FRAMES = 7
OF_ITS_OWN = "qwen3_tts"  # measured as a person would; the same program measures the others here, where all that it imports is there
MORE_THAN_TORCH = "of it more than torch alone has, GB"  # of a process that did nothing before


@pytest.fixture(scope="module", params=sorted(WRITE))
def measured(request, tmp_path_factory) -> dict:
    engine, folder = request.param, tmp_path_factory.mktemp("figures")
    subject = figures.SUBJECTS[engine]
    WRITE[engine](folder / "checkpoint")
    scenario = figures.Scenario(
        engine=engine,
        folder=str(folder / "checkpoint"),
        clip=str(figures.CLIP),
        transcript="Welcome." if subject.knows_words else "",
        text="Hello there.",
        device="cpu",
        dtype="float32",
        threads=1,
        n_frames=FRAMES,
        n_runs=1,
        n_extractions=1,
        n_first=2,
        n_cold=1,
        length_option=subject.length_option,
        n_unspoken=subject.n_unspoken,
        n_streams=(2,),
        n_cores=1,
    )
    if engine == OF_ITS_OWN:
        ours = figures._run(OURS, scenario, folder)
    else:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(our_figures, "hold_to_cores", lambda n_cores: None)
            patched.setattr(device_figures, "set_threads", lambda count: None)  # other tests compute in this process
            ours = json.loads(json.dumps(our_figures._measure(json.loads(json.dumps(asdict(scenario))))))
    machine = {"processor": "a test", "load_average": 0.0, "revision": "none"}
    return {
        "title": subject.title,
        "size": subject.sizes[0],
        "scenario": asdict(scenario),
        "machine": machine,
        "ours": ours,
    }


def test_as_many_frames_are_spoken_as_were_asked_for(measured):
    assert measured["ours"]["audio_seconds"] == pytest.approx(FRAMES * figures.SUBJECTS[measured["scenario"]["engine"]].frame_seconds)


def test_every_row_but_those_of_a_gpu_has_a_figure(measured):
    empty = {title for title, read in ROWS.items() if read(measured["ours"]) is None}
    of_converters = {"first audio of a conversion, s", "real-time factor of a conversion"}
    assert empty == {"kernels per frame", "peak device memory, GB"} | of_converters
    untold = empty if measured["scenario"]["engine"] == OF_ITS_OWN else empty | {MORE_THAN_TORCH}
    assert all(read(measured["ours"]) > 0 for title, read in ROWS.items() if title not in untold)


def test_speeches_at_once_cost_what_they_do_together(measured):
    """Each listener waits for all of them; the last first sound comes before the last sound."""
    ours = measured["ours"]
    first, each, cost = (read(ours) for read in rows_of_streams([2]).values())
    assert 0 < first < min(ours["speech_of_2_seconds"])
    assert each == pytest.approx(ours["speech_of_2_seconds"][0] / ours["audio_seconds"])
    assert 0 < cost <= each


def test_rounds_are_one_measurement():
    first, second = (
        {"a_seconds": [1, 2], "bytes": 2, "versions": {"torch": "2"}},
        {"a_seconds": [3], "bytes": 4, "versions": {"torch": "2"}},
    )
    assert merged([first, second]) == {"a_seconds": [1, 2, 3], "bytes": 3, "versions": {"torch": "2"}}
    assert merged([first]) == first
    assert merged([first, None]) is None


def test_the_first_audio_comes_before_the_last(measured):
    ours = measured["ours"]
    assert max(ours["first_audio_seconds"]) < min(ours["speech_seconds"])
    assert ours["cold_start_seconds"] < ours["cold_start_and_warm_up_seconds"]


def test_the_table_compares_ours_with_the_official_column(measured):
    official = json.loads(json.dumps(measured["ours"])) | {"cold_start_seconds": 2 * measured["ours"]["cold_start_seconds"]}
    table = comparison_table(measured | {"official": official})
    row = next(line for line in table.splitlines() if line.startswith("| cold start, s"))
    assert row.endswith("| 0.500 |")
    assert len({line.count("|") for line in table.splitlines()[1:]}) == 1


def test_a_checkpoint_that_is_there_is_not_written_again(measured):
    """A given folder is used as it is: real weights can be measured with the same program."""
    folder = Path(measured["scenario"]["folder"])
    before = (folder / "model.safetensors").stat().st_mtime_ns
    assert figures.prepared_checkpoint(figures.SUBJECTS[measured["scenario"]["engine"]], folder, measured["size"], []) == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == before
