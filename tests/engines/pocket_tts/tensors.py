"""Names and shapes of a Pocket TTS checkpoint, from the makers' configuration; pocket-tts 4.0.1, the state of its TTSModel."""

from collections.abc import Mapping
from math import prod

__all__ = ["frame_strides", "tensors"]

Shapes = dict[str, tuple[int, ...]]
N_FREQUENCIES = 128  # modules/mlp.py, TimestepEmbedder: half of 256


def tensors(config: Mapping) -> Shapes:
    """In the order in which safetensors lays them out. config: of the YAML file."""
    named = _flow_lm(config["flow_lm"], config["mimi"]) | _mimi(config["mimi"])
    return dict(sorted(named.items()))


def frame_strides(mimi: Mapping) -> int:
    """Rows of the transformers of the codec per latent."""
    return round(mimi["sample_rate"] / mimi["frame_rate"]) // prod(mimi["seanet"]["ratios"])


def _flow_lm(lm: Mapping, mimi: Mapping) -> Shapes:
    backbone, table = lm["transformer"], lm["lookup_table"]
    width, latent, rank, z_dim = backbone["d_model"], mimi["quantizer"]["dimension"], table.get("rank"), lm.get("z_dim")
    attn_dim, heads = backbone.get("attn_dim") or width, backbone["num_heads"]
    qkv = attn_dim + 2 * (backbone.get("num_kv_heads") or heads) * (attn_dim // heads)
    named = {
        "bos_emb": (latent,),
        "speaker_proj_weight": (width, mimi.get("inner_dim") or mimi["seanet"]["dimension"]),
        "emb_std": (latent,),
        "emb_mean": (latent,),
        "conditioner.embed.weight": (table["n_bins"] + 1, rank or table["dim"]),
        "input_linear.weight": (width, latent),
        "out_eos.weight": (1, z_dim or width),
        "out_eos.bias": (1,),
        **_norm("out_norm", width),
        **_layers(backbone["num_layers"], width, qkv, attn_dim, backbone.get("dim_feedforward") or backbone["hidden_scale"] * width),
        **_head(lm["flow"], latent, z_dim or width),
    }
    if lm.get("insert_bos_before_voice"):
        named["bos_before_voice"] = (1, 1, width)
    if rank:
        named["conditioner.proj.weight"] = (table["dim"], rank)
    if z_dim:
        named["z_proj.weight"] = (z_dim, width)
    return {f"flow_lm.{name}": shape for name, shape in named.items()}


def _head(flow: Mapping, latent: int, condition: int) -> Shapes:
    width = flow["dim"]
    named = {**_linear("cond_embed", width, condition), **_linear("input_proj", width, latent)}
    for i in range(2 if flow.get("type", "lsd") == "lsd" else 0):
        time = f"time_embed.{i}"
        named |= {f"{time}.freqs": (N_FREQUENCIES,), f"{time}.mlp.3.alpha": (width,)}
        named |= _linear(f"{time}.mlp.0", width, 2 * N_FREQUENCIES) | _linear(f"{time}.mlp.2", width, width)
    for i in range(flow["depth"]):
        block = f"res_blocks.{i}"
        named |= _norm(f"{block}.in_ln", width) | _linear(f"{block}.mlp.0", width, width) | _linear(f"{block}.mlp.2", width, width)
        named |= _linear(f"{block}.adaLN_modulation.1", 3 * width, width)
    named |= _linear("final_layer.linear", latent, width) | _linear("final_layer.adaLN_modulation.1", 2 * width, width)
    return {f"flow_net.{name}": shape for name, shape in named.items()}


def _mimi(mimi: Mapping) -> Shapes:
    kernel, encoder, transformer = 2 * frame_strides(mimi), mimi["seanet"], mimi["transformer"]
    decoder, outer = mimi.get("decoder_seanet") or encoder, mimi["outer_dim"]
    named = {
        "quantizer.output_proj.weight": (mimi["quantizer"]["output_dimension"], mimi["quantizer"]["dimension"], 1),
        "downsample.conv.conv.weight": (mimi["inner_dim"], encoder["dimension"], kernel),
        "upsample.convtr.convtr.weight": (outer, 1, kernel),
        **_encoder(encoder),
        **_decoder(decoder),
        **_codec_transformer("encoder_transformer", transformer),
        **_codec_transformer("decoder_transformer", mimi.get("decoder_transformer") or transformer),
    }
    return {f"mimi.{name}": shape for name, shape in named.items()}


def _encoder(seanet: Mapping) -> Shapes:
    width = seanet["n_filters"]
    named = _conv("encoder.model.0.conv", width, 1, seanet["kernel_size"])
    for i, ratio in enumerate(reversed(seanet["ratios"])):
        named |= _block(f"encoder.model.{3 * i + 1}", width, seanet)
        named |= _conv(f"encoder.model.{3 * i + 3}.conv", 2 * width, width, 2 * ratio)
        width *= 2
    last = 3 * len(seanet["ratios"]) + 2
    return named | _conv(f"encoder.model.{last}.conv", seanet["dimension"], width, seanet["last_kernel_size"])


def _decoder(seanet: Mapping) -> Shapes:
    width = seanet["n_filters"] * 2 ** len(seanet["ratios"])
    named = _conv("decoder.model.0.conv", width, seanet["dimension"], seanet["kernel_size"])
    for i, ratio in enumerate(seanet["ratios"]):
        width //= 2
        transposed = f"decoder.model.{3 * i + 2}.convtr"
        named |= {f"{transposed}.weight": (2 * width, width, 2 * ratio), f"{transposed}.bias": (width,)}
        named |= _block(f"decoder.model.{3 * i + 3}", width, seanet)
    last = 3 * len(seanet["ratios"]) + 2
    return named | _conv(f"decoder.model.{last}.conv", 1, width, seanet["last_kernel_size"])


def _block(name: str, width: int, seanet: Mapping) -> Shapes:
    inner = width // seanet["compress"]
    return _conv(f"{name}.block.1.conv", inner, width, seanet["residual_kernel_size"]) | _conv(f"{name}.block.3.conv", width, inner, 1)


def _codec_transformer(name: str, config: Mapping) -> Shapes:
    width, n_layers = config["d_model"], config["num_layers"]
    named = _layers(n_layers, width, 3 * width, width, config["dim_feedforward"])
    named |= {f"transformer.layers.{i}.layer_scale_{j}.scale": (width,) for i in range(n_layers) for j in (1, 2)}
    return {f"{name}.{inner}": shape for inner, shape in named.items()}


def _layers(n_layers: int, width: int, qkv: int, attn_dim: int, inner: int) -> Shapes:
    layer = {
        **_norm("norm1", width),
        **_norm("norm2", width),
        "self_attn.in_proj.weight": (qkv, width),
        "self_attn.out_proj.weight": (width, attn_dim),
        "linear1.weight": (inner, width),
        "linear2.weight": (width, inner),
    }
    return {f"transformer.layers.{i}.{name}": shape for i in range(n_layers) for name, shape in layer.items()}


def _norm(name: str, width: int) -> Shapes:
    return {f"{name}.weight": (width,), f"{name}.bias": (width,)}


def _linear(name: str, out: int, into: int) -> Shapes:
    return {f"{name}.weight": (out, into), f"{name}.bias": (out,)}


def _conv(name: str, out: int, into: int, kernel: int) -> Shapes:
    return {f"{name}.weight": (out, into, kernel), f"{name}.bias": (out,)}
