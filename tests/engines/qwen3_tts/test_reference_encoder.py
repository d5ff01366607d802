"""Extraction is IEEE float32 whatever the process allows elsewhere: codes and embeddings are kept under a key that says so."""

import numpy as np
import torch
from torch import backends

from engines.qwen3_tts.engine import codes_of, embedding_of, samples_of
from tests.engines.clips.made_clip import made_clip
from tests.engines.qwen3_tts.checkpoints.opened import tiny


def test_low_precision_that_is_allowed_elsewhere_does_not_leak_in(low_precision):
    networks, seen = tiny(), []

    def look(*_) -> None:
        seen.append((backends.cuda.matmul.fp32_precision, backends.cudnn.conv.fp32_precision, backends.mkldnn.matmul.fp32_precision))

    samples = samples_of(made_clip(1.5))
    hooks = [network.register_forward_hook(look) for network in (networks.learners.mimi.downsample, networks.learners.speaker_encoder)]
    try:
        codes, embedding = codes_of(samples, networks), embedding_of(samples, networks)
    finally:
        for hook in hooks:
            hook.remove()
    assert seen == [("ieee", "ieee", "ieee")] * 2
    torch.set_float32_matmul_precision("highest")
    assert np.array_equal(codes, codes_of(samples, networks))
    assert np.array_equal(embedding, embedding_of(samples, networks))
