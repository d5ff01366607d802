"""Names and shapes of every tensor of a dots.tts checkpoint, from its configuration files: for checkpoints made of random numbers.

Facts of the official layout (PyPI `dots.tts` 0.3.1, models/dots_tts and modules/). `tests/parity/dots/make_golden.py` holds these tables
against the official classes, at toy size and at the released one.
"""

from collections.abc import Iterator, Mapping

__all__ = ["SEGMENTS", "main_tensors", "speaker_tensors", "vocoder_tensors"]

Shape = tuple[int, ...]
Named = Iterator[tuple[str, Shape]]

SEGMENTS = ((12, 1), (24, 2), (16, 2))  # layers and dilation of CAM++'s dense blocks
TAPS = 12  # of the filters around a wave
STACKS = 6  # residual pairs of a stage of the AudioVAE's encoder


def main_tensors(config: Mapping, llm: Mapping) -> dict[str, Shape]:
    """name -> shape in model.safetensors. config, llm: the content of config.json and llm_config.json."""
    return dict(_main(config, llm))


def vocoder_tensors(config: Mapping) -> dict[str, Shape]:
    """name -> shape in vocoder.safetensors."""
    vae = config["vocoder"]
    return dict([*_vae_encoder(vae), *_vae_ends(vae), *_vae_decoder(vae)])


def speaker_tensors(config: Mapping) -> dict[str, Shape]:
    """name -> shape in speaker_encoder.safetensors."""
    return dict([*_campplus(config["campplus_embedding_size"]), ("resample.kernel", (1, 1, 41))])


def _main(config: Mapping, llm: Mapping) -> Named:
    width, latent, dit = llm["hidden_size"], config["latent_dim"], config["DiT"]["hidden_size"]
    yield "llm.model.embed_tokens.weight", (llm["vocab_size"], width)
    yield from _qwen2(llm)
    yield from _semantic(config, width)
    yield from _biased("hidden_proj", (dit, width))
    yield from _biased("latent_proj", (dit, latent))
    yield from _biased("coordinate_proj", (dit, latent))
    yield from _biased("xvec_proj.0", (dit, config["campplus_embedding_size"]))
    yield from _biased("xvec_proj.1", (dit,))
    yield from _biased("eos_proj.0", (width, width))
    yield from _biased("eos_proj.2", (2, width))
    yield from _velocity(config)


def _qwen2(llm: Mapping) -> Named:
    width, inner, heads = llm["hidden_size"], llm["intermediate_size"], llm["num_attention_heads"]
    keys = width // heads * llm["num_key_value_heads"]
    for i in range(llm["num_hidden_layers"]):
        layer = f"llm.model.layers.{i}"
        yield from _biased(f"{layer}.self_attn.q_proj", (width, width))
        yield from _biased(f"{layer}.self_attn.k_proj", (keys, width))
        yield from _biased(f"{layer}.self_attn.v_proj", (keys, width))
        yield f"{layer}.self_attn.o_proj.weight", (width, width)
        yield f"{layer}.mlp.gate_proj.weight", (inner, width)
        yield f"{layer}.mlp.up_proj.weight", (inner, width)
        yield f"{layer}.mlp.down_proj.weight", (width, inner)
        yield f"{layer}.input_layernorm.weight", (width,)
        yield f"{layer}.post_attention_layernorm.weight", (width,)
    yield "llm.model.norm.weight", (width,)


def _semantic(config: Mapping, llm_width: int) -> Named:
    latent, sizes = config["latent_dim"], config["PatchEncoder"]
    width = sizes["hidden_size"]
    yield from _biased("patch_encoder.ds_proj", (latent, latent, 2))
    yield from _biased("patch_encoder.in_proj", (width, latent))
    for i in range(sizes["num_layers"]):
        layer = f"patch_encoder.encoder.layers.{i}"
        yield from _attention_and_network(layer, sizes)
        yield f"{layer}.attn_norm.weight", (width,)
        yield f"{layer}.ffn_norm.weight", (width,)
    yield from _biased("patch_encoder.out_proj", (llm_width, width * config["patch_size"] // 2))


def _velocity(config: Mapping) -> Named:
    at, sizes, meanflow = "velocity_field_predictor", config["DiT"], config.get("meanflow") or {}
    width = sizes["hidden_size"]
    yield from _biased(f"{at}.input_layer", (width, width))
    has_lengths = meanflow.get("enabled", False) and meanflow.get("use_duration_embedding", True)
    for embedder in ("time_embedder", "duration_embedder") if has_lengths else ("time_embedder",):
        yield from _biased(f"{at}.{embedder}.mlp.0", (width, 256))
        yield from _biased(f"{at}.{embedder}.mlp.2", (width, width))
    for i in range(sizes["num_layers"]):
        block = f"{at}.blocks.{i}"
        yield from _attention_and_network(block, sizes)
        for norm in ("q_norm", "k_norm"):
            yield f"{block}.attn.{norm}.weight", (width // sizes["num_heads"],)
        yield from _biased(f"{block}.adaLN_modulation.1", (6 * width, width))
    yield from _biased(f"{at}.output_layer.adaLN_modulation.1", (2 * width, width))
    yield from _biased(f"{at}.output_layer.linear", (config["latent_dim"], width))


def _attention_and_network(at: str, sizes: Mapping) -> Named:
    width, inner = sizes["hidden_size"], sizes["ffn_hidden_size"]
    for name in ("q_proj", "k_proj", "v_proj"):
        yield f"{at}.attn.{name}.weight", (width, width)
    yield from _biased(f"{at}.attn.o_proj", (width, width))
    yield from _biased(f"{at}.ffn.fc1", (inner, width))
    yield from _biased(f"{at}.ffn.fc2", (width, inner))


def _vae_encoder(vae: Mapping) -> Named:
    at, channels = "audio_encoder.generator", vae["downsample_channels"]
    yield from _normed(f"{at}.0.layer", (12, 1, 3))
    for i, rate in enumerate(vae["downsample_rates"]):
        before, width = channels[i : i + 2]
        yield from _normed(f"{at}.{2 + 3 * i}.layer", (width, before, 2 * rate))
        for pair in range(STACKS):
            for place in (2, 5):
                yield from _normed(f"{at}.{3 + 3 * i}.layers.{pair}.{place}", (width, width, 3))
    yield from _normed(f"{at}.{2 + 3 * len(vae['downsample_rates'])}.layer", (vae["latent_dim"], channels[-1], 5))


def _vae_ends(vae: Mapping) -> Named:
    """What lies between the convolutions and the latents, on both sides."""
    latent = vae["latent_dim"]
    inner = 4 * latent
    for layer in ("enc_mi_layer", "dec_mi_layer"):
        yield from _biased(f"{layer}.0", (inner, latent))
        for index in range(vae["mi_num_layers"]):
            for kind in ("ih", "hh"):
                yield f"{layer}.1.lstm.weight_{kind}_l{index}", (4 * inner, inner)
                yield f"{layer}.1.lstm.bias_{kind}_l{index}", (4 * inner,)
        yield from _biased(f"{layer}.2", (latent, inner))
    yield from _biased("pre_proj", (2 * latent, latent, 1))
    yield from _biased("post_proj", (latent, latent, 1))


def _vae_decoder(vae: Mapping) -> Named:
    width = vae["upsample_initial_channel"]
    yield from _biased("decoder.conv_pre", (width, vae["latent_dim"], 5))
    for i, rate in enumerate(vae["upsample_rates"]):
        yield f"decoder.ups.{i}.0.weight", (width, width // 2, 2 * rate)
        width //= 2
        yield f"decoder.ups.{i}.0.bias", (width,)
        n_kernels = len(vae["resblock_kernel_sizes"])
        for j, kernel in enumerate(vae["resblock_kernel_sizes"]):
            block = f"decoder.resblocks.{n_kernels * i + j}"
            for unit in range(3):
                yield from _biased(f"{block}.convs1.{unit}", (width, width, kernel))
                yield from _biased(f"{block}.convs2.{unit}", (width, width, kernel))
            for wave in range(6):
                yield from _wave(f"{block}.activations.{wave}", width, filters=1)
    yield from _wave("decoder.activation_post", width, filters=width)
    yield "decoder.conv_post.weight", (1, width, 7)


def _wave(at: str, width: int, filters: int) -> Named:
    yield f"{at}.act.alpha", (width,)
    yield f"{at}.act.beta", (width,)
    yield f"{at}.upsample.filter", (filters, 1, TAPS)
    yield f"{at}.downsample.lowpass.filter", (filters, 1, TAPS)


def _campplus(embedding: int) -> Named:
    head, channels = "model.head", 32
    yield f"{head}.conv1.weight", (channels, 1, 3, 3)
    yield from _batch_norm(f"{head}.bn1", channels)
    for layer in (1, 2):
        for block in (0, 1):
            at = f"{head}.layer{layer}.{block}"
            for conv in (1, 2):
                yield f"{at}.conv{conv}.weight", (channels, channels, 3, 3)
                yield from _batch_norm(f"{at}.bn{conv}", channels)
            if block == 0:
                yield f"{at}.shortcut.0.weight", (channels, channels, 1, 1)
                yield from _batch_norm(f"{at}.shortcut.1", channels)
    yield f"{head}.conv2.weight", (channels, channels, 3, 3)
    yield from _batch_norm(f"{head}.bn2", channels)
    at, width = "model.xvector", 128
    yield f"{at}.tdnn.linear.weight", (width, 10 * channels, 5)
    yield from _batch_norm(f"{at}.tdnn.nonlinear.batchnorm", width)
    for number, (n_layers, _) in enumerate(SEGMENTS, 1):
        for index in range(n_layers):
            yield from _dense_layer(f"{at}.block{number}.tdnnd{index + 1}", width)
            width += 32
        yield from _batch_norm(f"{at}.transit{number}.nonlinear.batchnorm", width)
        yield f"{at}.transit{number}.linear.weight", (width // 2, width, 1)
        width //= 2
    yield from _batch_norm(f"{at}.out_nonlinear.batchnorm", width)
    yield f"{at}.dense.linear.weight", (embedding, 2 * width, 1)
    yield from _batch_norm(f"{at}.dense.nonlinear.batchnorm", embedding, affine=False)


def _dense_layer(at: str, width: int) -> Named:
    yield from _batch_norm(f"{at}.nonlinear1.batchnorm", width)
    yield f"{at}.linear1.weight", (128, width, 1)
    yield from _batch_norm(f"{at}.nonlinear2.batchnorm", 128)
    yield f"{at}.cam_layer.linear_local.weight", (32, 128, 3)
    yield from _biased(f"{at}.cam_layer.linear1", (64, 128, 1))
    yield from _biased(f"{at}.cam_layer.linear2", (32, 64, 1))


def _batch_norm(at: str, width: int, *, affine: bool = True) -> Named:
    for name in ("weight", "bias", "running_mean", "running_var") if affine else ("running_mean", "running_var"):
        yield f"{at}.{name}", (width,)
    yield f"{at}.num_batches_tracked", ()


def _biased(name: str, shape: Shape) -> Named:
    yield f"{name}.weight", shape
    yield f"{name}.bias", shape[:1]


def _normed(name: str, shape: Shape) -> Named:
    """A convolution under weight norm."""
    yield f"{name}.bias", shape[:1]
    yield f"{name}.weight_g", (shape[0], 1, 1)
    yield f"{name}.weight_v", shape
