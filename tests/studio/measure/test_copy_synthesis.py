"""Copy synthesis: the demo is spoken again as long and as high as it is, recordings of either kind are read, lacking scores are told."""

from pathlib import Path

import av
import numpy as np
import soundfile

from engines.clips.clip import Clip
from engines.kit.signal.clip_analysis import ClipAnalysis
from studio.measure.quality.copy_synthesis import CopyRow, copy_table, read_recording, spoken_again

DEMO = Path(__file__).parents[3] / "assets" / "voices" / "demo.flac"


def test_the_copy_is_as_long_and_as_high_as_the_recording():
    samples, rate = soundfile.read(DEMO, dtype="float32", frames=40_000)
    copy, analysis_seconds, vocoder_seconds = spoken_again(Clip(samples, rate))
    assert abs(copy.seconds - len(samples) / rate) < 0.001
    pitches = [ClipAnalysis.of(clip).f0 for clip in (copy, Clip(samples, rate))]
    medians = [np.median(f0[f0 > 0]) for f0 in pitches]
    assert abs(np.log2(medians[0] / medians[1])) < 0.25 / 12
    assert analysis_seconds > 0 < vocoder_seconds


def test_wav_and_raw_g722_are_read_at_their_rates(tmp_path):
    tone = (0.3 * np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000)).astype(np.float32)
    soundfile.write(tmp_path / "tone.wav", tone, 16_000)
    with av.open(str(tmp_path / "tone.g722"), "w", format="g722") as container:
        stream = container.add_stream("g722", rate=16_000)
        stream.layout = "mono"
        frame = av.AudioFrame.from_ndarray((tone * 32767).astype(np.int16)[None], "s16", "mono")
        frame.sample_rate = 16_000
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)
    for name in ("tone.wav", "tone.g722"):
        clip = read_recording(tmp_path / name)
        assert clip.sample_rate == 16_000, name
        assert abs(len(clip.samples) - 16_000) < 100, name
        assert abs(clip.samples.std() / tone.std() - 1) < 0.05, name


def test_the_table_tells_what_was_not_heard():
    row = CopyRow("one", 1.23, (4.5, 4.0), (None, None), None, 0.0123, 0.0045)
    assert copy_table([row]).splitlines()[2] == "| one | 1.2 | 4.50 | 4.00 | - | - | - | 0.0123 | 0.0045 |"
