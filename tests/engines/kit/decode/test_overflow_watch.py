"""float16: engines say what they say in float32, as far as it rounds; and what overflows ends in an error, never in sound."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import torch
from torch import nn

from engines.contract.contract import Engine
from engines.cosyvoice3.networks import read_networks as read_cosyvoice3
from engines.cosyvoice3.options import LANGUAGE_MODELS
from engines.fish_speech.networks import read_networks as read_fish_speech
from engines.kit.decode.overflow_watch import Float16Overflow, OverflowWatch
from engines.kit.nn.attention import overflow_as_nan
from engines.omnivoice.networks import read_networks as read_omnivoice
from engines.qwen3_tts.networks import read_networks as read_qwen3_tts
from engines.voxcpm2.networks import read_networks as read_voxcpm2
from engines.voxtral.networks import read_networks as read_voxtral
from tests.engines.cosyvoice3 import opened as cosyvoice3
from tests.engines.fish_speech import opened as fish_speech
from tests.engines.omnivoice import opened as omnivoice
from tests.engines.qwen3_tts.checkpoints import opened as qwen3_tts
from tests.engines.voxcpm2 import opened as voxcpm2
from tests.engines.voxtral import opened as voxtral

CPU = torch.device("cpu")
TEXT = "The sentence and then the voice."
# engine -> short ways to speak; its networks in float16; what is greedy; parts of theirs that overflow, one of each kind
ENGINES: dict[str, tuple] = {
    "qwen3_tts": (
        qwen3_tts,
        lambda: read_qwen3_tts(qwen3_tts.speaking_folder(), CPU, torch.float16),
        {"temperature": 0.0, "predictor_temperature": 0.0},
        lambda n: (n.talker.decoder.norm, n.talker.decoder.layers[0].self_attn.qkv_proj, n.predictor.decoder.norm),
    ),
    "fish_speech": (
        fish_speech,
        lambda: read_fish_speech(fish_speech.tiny_folder(), CPU, torch.float16),
        {"temperature": 0.0},
        lambda n: (n.slow.decoder.norm, n.fast.decoder.norm),
    ),
    "voxtral": (
        voxtral,
        lambda: read_voxtral(voxtral.tiny_folder(), CPU, torch.float16),
        {},
        lambda n: (n.backbone.decoder.layers[0].self_attn.qkv_proj, n.flow.acoustic_codebook_output),
    ),
    "voxcpm2": (
        voxcpm2,
        lambda: read_voxcpm2(voxcpm2.tiny_folder(), CPU, torch.float16),
        {},
        lambda n: (n.models.base_lm.norm, n.head.out_proj),
    ),
    "omnivoice": (
        omnivoice,
        lambda: read_omnivoice(omnivoice.tiny_folder(), CPU, torch.float16),
        {},
        lambda n: (n.backbone.decoder.norm,),
    ),
    "cosyvoice3": (
        cosyvoice3,
        lambda: read_cosyvoice3(cosyvoice3.tiny_folder(), CPU, torch.float16, LANGUAGE_MODELS[0]),
        {"temperature": 0.0},
        lambda n: (n.model.decoder.norm,),
    ),
}


@cache
def in_float16(name: str) -> Engine:
    of, read = ENGINES[name][:2]
    return type(of.opened())(of.PACKAGE.info, read())


def say(name: str, engine: Engine) -> np.ndarray:
    of, _, greedy, _ = ENGINES[name]
    known = {option.name for option in engine.info.options}
    return of.say(engine, TEXT, of.learned(), **{option: value for option, value in greedy.items() if option in known})


@pytest.mark.parametrize("name", ["qwen3_tts", "fish_speech", "cosyvoice3"])
def test_greedy_codes_of_float16_are_those_of_float32(name):
    """Their sound is made of codes in float32: where codes are the same, so is the sound, but for what the flow remembers."""
    np.testing.assert_allclose(say(name, in_float16(name)), say(name, ENGINES[name][0].opened()), atol=2e-3 if name == "cosyvoice3" else 0)


@pytest.mark.parametrize("name", ["voxtral", "voxcpm2", "omnivoice"])
def test_what_is_rounded_or_compared_in_float16_is_as_long_as_in_float32(name):
    assert say(name, in_float16(name)).shape == say(name, ENGINES[name][0].opened()).shape


def scaled(part: nn.Module) -> Callable[[], None]:
    """Make its numbers as large as float16 has them; gives what takes that back."""
    kept = part.weight.detach().clone()
    part.weight.data.mul_(3e4 / kept.abs().max())
    return lambda: part.weight.data.copy_(kept)


@pytest.mark.parametrize("name", ENGINES)
def test_numbers_beyond_float16_end_in_an_error_before_any_sound_and_leave_nothing_behind(name):
    of, engine = ENGINES[name][0], in_float16(name)
    before = say(name, engine)
    for part in ENGINES[name][3](engine._networks):
        take_back = scaled(part)
        engine._prepared.clear()
        try:
            with pytest.raises(Float16Overflow, match="float16 has no room") as told:
                assert not [len(piece) for piece in of.spoken(engine, TEXT, of.learned()) if len(piece)]
        finally:
            take_back()
            engine._prepared.clear()
        assert told.value.hint == f"Set {name.upper()}_DTYPE=float32."
    np.testing.assert_array_equal(say(name, engine), before)


def test_where_a_mask_hides_keys_the_next_speech_does_not_see_those_that_overflowed():
    engine = voxtral.opened(networks=ENGINES["voxtral"][1](), fixed_shapes=True)
    before = voxtral.say(engine, TEXT, voxtral.learned())
    take_back = scaled(engine._networks.backbone.decoder.layers[0].self_attn.qkv_proj)
    engine._prepared.clear()
    with pytest.raises(Float16Overflow):
        voxtral.say(engine, TEXT, voxtral.learned())
    take_back()
    engine._prepared.clear()
    np.testing.assert_array_equal(voxtral.say(engine, TEXT, voxtral.learned()), before)


def test_an_infinite_key_does_not_hide():
    assert overflow_as_nan(torch.tensor([1.0, -torch.inf], dtype=torch.float16)).isnan().tolist() == [False, True]
    assert overflow_as_nan(torch.tensor([-torch.inf])).isinf().all()


def test_one_row_that_overflows_is_no_other_rows_error():
    watch = OverflowWatch(2, torch.float16, "cpu")
    seen = watch.see(torch.tensor([[1.0, torch.inf], [65504.0, -65504.0]], dtype=torch.float16))
    assert seen.isfinite().all()  # codes of what is not finite may be none
    watch.check(watch.copy(1))
    with pytest.raises(Float16Overflow):
        watch.check(watch.copy(0))
    watch.begin(0)
    watch.check(watch.copy(0))


def test_other_dtypes_are_not_watched():
    watch = OverflowWatch(2, torch.bfloat16, "cpu")
    values = torch.tensor([[torch.inf]])
    assert watch.see(values) is values and watch.copy(0) is None and not watch.tensors()
