"""Names and shapes of every tensor of a VoxCPM2 checkpoint, from its config.json: for checkpoints made of random numbers.

Facts of the official layout (PyPI `voxcpm` 2.0.3, model/voxcpm2.py and modules/). `tests/parity/voxcpm2/make_golden.py` holds these tables
against the official classes, at toy size and at the released one.
"""

from collections.abc import Iterator, Mapping

__all__ = ["AUDIO_VAE_DEFAULTS", "audio_vae_tensors", "main_tensors"]

Shape = tuple[int, ...]
Named = Iterator[tuple[str, Shape]]

# Keys that the released file leaves out: defaults of AudioVAEConfig (modules/audiovae/audio_vae_v2.py).
AUDIO_VAE_DEFAULTS = {
    "encoder_dim": 128,
    "encoder_rates": [2, 5, 8, 8],
    "latent_dim": 64,
    "decoder_dim": 2048,
    "decoder_rates": [8, 6, 5, 2, 2, 2],
    "sample_rate": 16000,
    "out_sample_rate": 48000,
    "sr_bin_boundaries": [20000, 30000, 40000],
}
KERNEL = 7  # of all convolutions that keep the rate and mix time
DILATIONS = 3  # residual units per block


def main_tensors(config: Mapping) -> dict[str, Shape]:
    """name -> shape in model.safetensors. config: the content of config.json."""
    return dict(_main(config))


def audio_vae_tensors(config: Mapping) -> dict[str, Shape]:
    """name -> shape in audiovae.pth or audiovae.safetensors. config: the content of config.json."""
    vae = AUDIO_VAE_DEFAULTS | config.get("audio_vae_config", {})
    return dict([*_vae_encoder(vae), *_vae_decoder(vae)])


def _main(config: Mapping) -> Named:
    lm, encoder, dit = config["lm_config"], config["encoder_config"], config["dit_config"]
    width, latent, quantized = lm["hidden_size"], config["feat_dim"], config["scalar_quantization_latent_dim"]
    yield "base_lm.embed_tokens.weight", (lm["vocab_size"], width)
    yield from _transformer("base_lm", lm, lm)
    yield from _transformer("residual_lm", lm, lm | {"num_hidden_layers": config["residual_lm_num_layers"]})
    yield "feat_encoder.special_token", (1, 1, 1, encoder["hidden_dim"])
    yield from _biased("feat_encoder.in_proj", (encoder["hidden_dim"], latent))
    yield from _transformer("feat_encoder.encoder", lm, _local(encoder))
    yield from _diffusion(dit["hidden_dim"], latent)
    yield from _transformer("feat_decoder.estimator.decoder", lm, _local(dit))
    yield from _biased("fsq_layer.in_proj", (quantized, width))
    yield from _biased("fsq_layer.out_proj", (width, quantized))
    yield from _biased("enc_to_lm_proj", (width, encoder["hidden_dim"]))
    yield from _biased("lm_to_dit_proj", (dit["hidden_dim"], width))
    yield from _biased("res_to_dit_proj", (dit["hidden_dim"], width))
    yield from _biased("fusion_concat_proj", (width, 2 * width))
    yield from _biased("stop_proj", (width, width))
    yield "stop_head.weight", (2, width)


def _diffusion(width: int, latent: int) -> Named:
    at = "feat_decoder.estimator"
    yield from _biased(f"{at}.in_proj", (width, latent))
    yield from _biased(f"{at}.cond_proj", (width, latent))
    yield from _biased(f"{at}.out_proj", (latent, width))
    for network in ("time_mlp", "delta_time_mlp"):
        yield from _biased(f"{at}.{network}.linear_1", (width, width))
        yield from _biased(f"{at}.{network}.linear_2", (width, width))


def _local(section: Mapping) -> dict:
    """A local transformer's sizes in the words of the language model's."""
    return {
        "hidden_size": section["hidden_dim"],
        "intermediate_size": section["ffn_dim"],
        "num_attention_heads": section["num_heads"],
        "num_hidden_layers": section["num_layers"],
        "kv_channels": section.get("kv_channels"),
    }


def _transformer(at: str, lm: Mapping, sizes: Mapping) -> Named:
    """RMSNorm, grouped-query attention and SwiGLU, and the last norm. Key heads are the language model's everywhere."""
    width, inner = sizes["hidden_size"], sizes["intermediate_size"]
    head = sizes.get("kv_channels") or width // sizes["num_attention_heads"]
    queries, keys = sizes["num_attention_heads"] * head, lm["num_key_value_heads"] * head
    for i in range(sizes["num_hidden_layers"]):
        layer = f"{at}.layers.{i}"
        yield f"{layer}.input_layernorm.weight", (width,)
        yield f"{layer}.post_attention_layernorm.weight", (width,)
        yield f"{layer}.self_attn.q_proj.weight", (queries, width)
        yield f"{layer}.self_attn.k_proj.weight", (keys, width)
        yield f"{layer}.self_attn.v_proj.weight", (keys, width)
        yield f"{layer}.self_attn.o_proj.weight", (width, queries)
        yield f"{layer}.mlp.gate_proj.weight", (inner, width)
        yield f"{layer}.mlp.up_proj.weight", (inner, width)
        yield f"{layer}.mlp.down_proj.weight", (width, inner)
    yield f"{at}.norm.weight", (width,)


def _biased(name: str, shape: Shape) -> Named:
    yield f"{name}.weight", shape
    yield f"{name}.bias", shape[:1]


def _vae_encoder(vae: Mapping) -> Named:
    width = vae["encoder_dim"]
    yield from _normed("encoder.block.0", (width, 1, KERNEL))
    for i, rate in enumerate(vae["encoder_rates"], start=1):
        for unit in range(DILATIONS):
            yield from _residual_unit(f"encoder.block.{i}.block.{unit}", width)
        yield f"encoder.block.{i}.block.{DILATIONS}.alpha", (1, width, 1)
        yield from _normed(f"encoder.block.{i}.block.{DILATIONS + 1}", (2 * width, width, 2 * rate))
        width *= 2
    for name in ("fc_mu", "fc_logvar"):
        yield from _normed(f"encoder.{name}", (vae["latent_dim"], width, 3))


def _vae_decoder(vae: Mapping) -> Named:
    latent, width, n_bins = vae["latent_dim"], vae["decoder_dim"], len(vae["sr_bin_boundaries"]) + 1
    yield from _normed("decoder.model.0", (latent, 1, KERNEL))
    yield from _normed("decoder.model.1", (width, latent, 1))
    for i, rate in enumerate(vae["decoder_rates"], start=2):
        for embedding in ("scale_embed", "bias_embed"):
            yield f"decoder.sr_cond_model.{i}.{embedding}.weight", (n_bins, width)
        at = f"decoder.model.{i}.block"
        yield f"{at}.0.alpha", (1, width, 1)
        yield from _normed(f"{at}.1", (width, width // 2, 2 * rate), bias=width // 2)
        width //= 2
        for unit in range(DILATIONS):
            yield from _residual_unit(f"{at}.{2 + unit}", width)
    last = 2 + len(vae["decoder_rates"])
    yield f"decoder.model.{last}.alpha", (1, width, 1)
    yield from _normed(f"decoder.model.{last + 1}", (1, width, KERNEL))
    yield "decoder.sr_bin_boundaries", (n_bins - 1,)


def _residual_unit(at: str, width: int) -> Named:
    yield f"{at}.block.0.alpha", (1, width, 1)
    yield from _normed(f"{at}.block.1", (width, 1, KERNEL))
    yield f"{at}.block.2.alpha", (1, width, 1)
    yield from _normed(f"{at}.block.3", (width, width, 1))


def _normed(name: str, shape: Shape, bias: int | None = None) -> Named:
    """A convolution under weight norm. Transposed ones are (in, out, k): the norm goes by their inputs, the bias by their outputs."""
    yield f"{name}.bias", (shape[0] if bias is None else bias,)
    yield f"{name}.weight_g", (shape[0], 1, 1)
    yield f"{name}.weight_v", shape
