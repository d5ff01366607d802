"""What ZeroGPU refuses, in plain words."""

import gradio as gr
import pytest

from studio.errors import SpeechCancelled
from studio.running.zero_gpu.zero_gpu_errors import GpuAborted, GpuBusy, GpuQuotaExceeded, GpuRefused, GpuTimeTooLong, in_plain_words


@pytest.mark.parametrize(
    ("title", "message", "kind", "words"),
    [
        ("ZeroGPU quota exceeded", "Space app has reached its GPU limit. Try", GpuQuotaExceeded, "this Space's visitors"),
        ("ZeroGPU quota exceeded", "You have exceeded your ZeroGPU runs limit. ", GpuQuotaExceeded, "used up"),
        ("ZeroGPU pending credits exceeded", "You have too many", GpuQuotaExceeded, "all of your GPU time"),
        ("ZeroGPU illegal duration", "The requested GPU duration (180s) is larger than", GpuTimeTooLong, "asks for 180 s"),
        ("ZeroGPU queue timeout", "No GPU was available after 60s", GpuBusy, "No GPU became free"),
        ("ZeroGPU client error", "No GPU was available", GpuBusy, "No GPU became free"),
        ("ZeroGPU client error", "Expired ZeroGPU proxy token", GpuRefused, "did not lend"),
        ("ZeroGPU worker error", "RuntimeError", GpuAborted, "taken back"),
    ],
)
def test_what_zero_gpu_refuses_is_told_in_plain_words(title, message, kind, words):
    with pytest.raises(kind, match=words) as refused, in_plain_words():
        raise gr.Error(message, title=title)
    assert refused.value.hint and "Zero" + "GPU " + "worker" not in refused.value.fact


def test_a_service_that_does_not_answer_and_a_visitor_who_left_are_told_apart():
    with pytest.raises(GpuRefused), in_plain_words():
        raise RuntimeError("ZeroGPU API /schedule error: 502")
    with pytest.raises(SpeechCancelled), in_plain_words():
        raise RuntimeError("Connection closed by visitor while queueing")
