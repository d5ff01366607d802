"""Names and shapes of a Kokoro checkpoint's tensors, from its config.json: weight norms as gains and directions, as released."""

from collections.abc import Iterator, Mapping

__all__ = ["tensors"]

Named = Iterator[tuple[str, tuple[int, ...]]]


def tensors(config: Mapping) -> dict[str, tuple[int, ...]]:
    """Of the five networks; names are `network.tensor`."""
    return dict(_all(config))


def _all(config: Mapping) -> Named:
    n_symbols, width, style = config["n_token"], config["hidden_dim"], config["style_dim"]
    yield from _albert(config["plbert"], n_symbols)
    yield from _linear("bert_encoder", config["plbert"]["hidden_size"], width)
    yield from _predictor(config)
    yield "text_encoder.embedding.weight", (n_symbols, width)
    for layer in range(config["n_layer"]):
        yield from _conv(f"text_encoder.cnn.{layer}.0", width, width, config["text_encoder_kernel_size"])
        yield f"text_encoder.cnn.{layer}.1.gamma", (width,)
        yield f"text_encoder.cnn.{layer}.1.beta", (width,)
    yield from _lstm("text_encoder.lstm", width, width)
    wide, beside, channels = 2 * width, width // 8, config["istftnet"]["upsample_initial_channel"]
    for curve in ("F0_conv", "N_conv"):
        yield from _conv(f"decoder.{curve}", 1, 1, 3)
    yield from _conv("decoder.asr_res.0", width, beside, 1)
    yield from _styled_block("decoder.encode", style, width + 2, wide)
    for block in range(3):
        yield from _styled_block(f"decoder.decode.{block}", style, wide + beside + 2, wide)
    yield from _styled_block("decoder.decode.3", style, wide + beside + 2, channels, upsample=True)
    yield from _generator(config["istftnet"], style)


def _albert(plbert: Mapping, n_symbols: int) -> Named:
    width, narrow = plbert["hidden_size"], plbert.get("embedding_size", 128)
    for name, n in (("word", n_symbols), ("position", plbert["max_position_embeddings"]), ("token_type", 2)):
        yield f"bert.embeddings.{name}_embeddings.weight", (n, narrow)
    yield from _norm("bert.embeddings.LayerNorm", narrow)
    yield from _linear("bert.encoder.embedding_hidden_mapping_in", narrow, width)
    layer = "bert.encoder.albert_layer_groups.0.albert_layers.0"
    for name in ("query", "key", "value", "dense"):
        yield from _linear(f"{layer}.attention.{name}", width, width)
    yield from _norm(f"{layer}.attention.LayerNorm", width)
    yield from _norm(f"{layer}.full_layer_layer_norm", width)
    yield from _linear(f"{layer}.ffn", width, plbert["intermediate_size"])
    yield from _linear(f"{layer}.ffn_output", plbert["intermediate_size"], width)
    yield from _linear("bert.pooler", width, width)


def _predictor(config: Mapping) -> Named:
    width, style = config["hidden_dim"], config["style_dim"]
    for layer in range(config["n_layer"]):
        yield from _lstm(f"predictor.text_encoder.lstms.{2 * layer}", width + style, width)
        yield from _linear(f"predictor.text_encoder.lstms.{2 * layer + 1}.fc", style, 2 * width)
    yield from _lstm("predictor.lstm", width + style, width)
    yield from _lstm("predictor.shared", width + style, width)
    yield from _linear("predictor.duration_proj.linear_layer", width, config["max_dur"])
    for curve in ("F0", "N"):
        yield from _styled_block(f"predictor.{curve}.0", style, width, width)
        yield from _styled_block(f"predictor.{curve}.1", style, width, width // 2, upsample=True)
        yield from _styled_block(f"predictor.{curve}.2", style, width // 2, width // 2)
        yield f"predictor.{curve}_proj.weight", (1, width // 2, 1)
        yield f"predictor.{curve}_proj.bias", (1,)


def _generator(istftnet: Mapping, style: int) -> Named:
    rates, n_lines = istftnet["upsample_rates"], istftnet["gen_istft_n_fft"] + 2
    home, channels = "decoder.generator", istftnet["upsample_initial_channel"]
    yield from _linear(f"{home}.m_source.l_linear", 9, 1)
    for stage, kernel in enumerate(istftnet["upsample_kernel_sizes"]):
        is_last, later = stage == len(rates) - 1, 1
        for rate in rates[stage + 1 :]:
            later *= rate
        yield from _weight_norm(f"{home}.ups.{stage}", (channels, channels // 2, kernel))
        channels //= 2
        yield f"{home}.ups.{stage}.bias", (channels,)
        yield f"{home}.noise_convs.{stage}.weight", (channels, n_lines, 1 if is_last else 2 * later)
        yield f"{home}.noise_convs.{stage}.bias", (channels,)
        yield from _snake_block(f"{home}.noise_res.{stage}", style, channels, 11 if is_last else 7)
        for index, size in enumerate(istftnet["resblock_kernel_sizes"]):
            number = stage * len(istftnet["resblock_kernel_sizes"]) + index
            yield from _snake_block(f"{home}.resblocks.{number}", style, channels, size)
    yield from _conv(f"{home}.conv_post", channels, n_lines, 7)


def _snake_block(name: str, style: int, channels: int, kernel: int) -> Named:
    for row in range(3):
        for half in (1, 2):
            yield from _conv(f"{name}.convs{half}.{row}", channels, channels, kernel)
            yield from _linear(f"{name}.adain{half}.{row}.fc", style, 2 * channels)
            yield f"{name}.alpha{half}.{row}", (1, channels, 1)


def _styled_block(name: str, style: int, width_in: int, width_out: int, *, upsample: bool = False) -> Named:
    yield from _conv(f"{name}.conv1", width_in, width_out, 3)
    yield from _conv(f"{name}.conv2", width_out, width_out, 3)
    yield from _linear(f"{name}.norm1.fc", style, 2 * width_in)
    yield from _linear(f"{name}.norm2.fc", style, 2 * width_out)
    if width_in != width_out:
        yield from _weight_norm(f"{name}.conv1x1", (width_out, width_in, 1))
    if upsample:
        yield from _weight_norm(f"{name}.pool", (width_in, 1, 3))
        yield f"{name}.pool.bias", (width_in,)


def _conv(name: str, width_in: int, width_out: int, kernel: int) -> Named:
    yield from _weight_norm(name, (width_out, width_in, kernel))
    yield f"{name}.bias", (width_out,)


def _weight_norm(name: str, shape: tuple[int, int, int]) -> Named:
    yield f"{name}.weight_g", (shape[0], 1, 1)
    yield f"{name}.weight_v", shape


def _linear(name: str, width_in: int, width_out: int) -> Named:
    yield f"{name}.weight", (width_out, width_in)
    yield f"{name}.bias", (width_out,)


def _norm(name: str, width: int) -> Named:
    yield f"{name}.weight", (width,)
    yield f"{name}.bias", (width,)


def _lstm(name: str, width_in: int, width: int) -> Named:
    """Both ways, each half as wide."""
    for way in ("", "_reverse"):
        yield f"{name}.weight_ih_l0{way}", (2 * width, width_in)
        yield f"{name}.weight_hh_l0{way}", (2 * width, width // 2)
        yield f"{name}.bias_ih_l0{way}", (2 * width,)
        yield f"{name}.bias_hh_l0{way}", (2 * width,)
