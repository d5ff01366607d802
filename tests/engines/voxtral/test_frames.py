"""The frames of a stream are those of a plain loop over the networks, which reads its prompt in one go and keeps and pads nothing."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest
import torch

from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.kit.sampling.sampling import gaussian_noise
from engines.voxtral.batched_decoder import VoxtralRows
from tests.engines.listening_decoder import listening
from tests.engines.voxtral.opened import FRAME, FRAMES, TEXT, learned, opened, tiny


@torch.inference_mode()
def plain_frames(prompt: SpeakerPrompt, text: str, options) -> Iterator[list[int]]:
    """Until the end of speech."""
    networks = tiny()
    backbone, flow, tokens = networks.backbone, networks.flow, networks.tokenizer
    if "codes" in prompt.tensors:
        voice = backbone.embed_clip(torch.tensor(prompt.tensors["codes"].T, dtype=torch.int64)[None])
    else:
        voice = torch.tensor(prompt.tensors["embeddings"])[None]
    before, behind = [1, 25], [36, *tokens.ids(text), 35, 25]
    read = torch.cat([backbone.embed_text(torch.tensor([before])), voice, backbone.embed_text(torch.tensor([behind]))], dim=1)
    cache, seed = backbone.decoder.new_cache(1, read.shape[1] + 99), torch.tensor([[options["seed"]]])
    hidden_state = backbone.decoder.prefill(read, cache)
    for frame in range(99):
        code = int(flow.semantic(hidden_state, torch.tensor([[frame == 0]])))
        if code == 0:
            return
        noise = gaussian_noise(seed, torch.tensor([[frame]]), torch.arange(36))
        acoustic = flow.acoustic(hidden_state, noise, torch.tensor([[options["cfg_alpha"]]]))[0].tolist()
        yield [code - 1, *acoustic]
        row = backbone.embed_frames(torch.tensor([[[code - 1, *acoustic]]]))
        hidden_state = backbone.decoder.decode_step(row, cache, read.shape[1] + frame)


@pytest.mark.parametrize(("voice", "given"), [(0, {}), (1, {"seed": 11}), (2, {"cfg_alpha": 1.0}), (1, {"cfg_alpha": 2.5})])
def test_a_streams_frames_are_those_of_a_plain_loop(voice, given):
    options = resolve_options(opened().info.options, {"max_new_tokens": FRAMES} | given)
    frames = list(islice(plain_frames(learned(voice), TEXT, options), FRAMES))
    assert len({tuple(frame) for frame in frames}) == FRAMES
    for fixed_shapes in (False, True):
        engine = opened()
        batched_decoder = engine._batched_decoder = listening(VoxtralRows, tiny(), fixed_shapes=fixed_shapes)
        samples = np.concatenate(list(engine.stream(TEXT, learned(voice), options)))
        assert batched_decoder.rows.codes == frames, fixed_shapes
        assert len(samples) == FRAMES * FRAME


def test_every_frame_and_every_seed_has_noise_of_its_own():
    options = resolve_options(opened().info.options, {"max_new_tokens": FRAMES})
    first, second = (list(islice(plain_frames(learned(1), TEXT, options | {"seed": seed}), 4)) for seed in (0, 1))
    assert first[0][0] == second[0][0], "the semantic code is the likeliest, whatever is drawn"
    assert first[0][1:] != second[0][1:]


def test_samples_are_the_codecs_of_the_frames_alone():
    """The voice's frames are read and not decoded; what is louder than full scale is cut there."""
    engine, networks = opened(), tiny()
    batched_decoder = engine._batched_decoder = listening(VoxtralRows, tiny(), fixed_shapes=False)
    options = resolve_options(engine.info.options, {"max_new_tokens": FRAMES})
    samples = np.concatenate(list(engine.stream(TEXT, learned(), options)))
    with torch.inference_mode():
        whole = networks.decoder.decode_whole(torch.tensor(batched_decoder.rows.codes).T[None])[0].numpy()
    assert np.abs(whole).max() > 1
    assert np.abs(samples - whole.clip(-1, 1)).max() <= 1e-5
