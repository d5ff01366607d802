"""Names and shapes of every tensor of a Qwen3-TTS checkpoint, from its two config files: for checkpoints made of random numbers.

Facts of the official layout (PyPI `qwen-tts` 0.1.1, core/models and core/tokenizer_12hz). `tests/parity/qwen3_tts/make_golden.py` holds
these tables against the official classes, at toy size and at both released sizes.
"""

from collections.abc import Iterator, Mapping

__all__ = ["codec_tensors", "main_tensors"]

Shape = tuple[int, ...]
Named = Iterator[tuple[str, Shape]]

# Config keys that the released files leave out: defaults of Qwen3TTSSpeakerEncoderConfig.
SPEAKER_ENCODER_DEFAULTS = {
    "mel_dim": 128,
    "enc_dim": 1024,
    "enc_channels": [512, 512, 512, 512, 1536],
    "enc_kernel_sizes": [5, 3, 3, 3, 1],
    "enc_attention_channels": 128,
    "enc_res2net_scale": 8,
    "enc_se_channels": 128,
}


def main_tensors(config: Mapping) -> dict[str, Shape]:
    """name -> shape in model.safetensors. config: the content of config.json."""
    tensors = dict(_prefixed("talker.", _talker(config["talker_config"])))
    if "speaker_encoder_config" in config:  # of models that clone
        encoder = SPEAKER_ENCODER_DEFAULTS | config["speaker_encoder_config"]
        tensors |= _prefixed("speaker_encoder.", _speaker_encoder(encoder))
    return tensors


def codec_tensors(config: Mapping) -> dict[str, Shape]:
    """name -> shape in speech_tokenizer/model.safetensors. config: the content of speech_tokenizer/config.json."""
    return dict(
        [*_prefixed("encoder.", _mimi_encoder(config["encoder_config"])), *_prefixed("decoder.", _codec_decoder(config["decoder_config"]))]
    )


def _prefixed(prefix: str, tensors: Named) -> Named:
    for name, shape in tensors:
        yield prefix + name, shape


def _biased(name: str, shape: Shape, bias: int | None = None) -> Named:
    """A weight and its bias, which is as long as the weight's first dimension unless `bias` says otherwise."""
    yield f"{name}.weight", shape
    yield f"{name}.bias", (shape[0] if bias is None else bias,)


def _talker(c: Mapping) -> Named:
    width, text_width, predictor = c["hidden_size"], c["text_hidden_size"], c["code_predictor_config"]
    yield "model.text_embedding.weight", (c["text_vocab_size"], text_width)
    yield "model.codec_embedding.weight", (c["vocab_size"], width)
    yield "codec_head.weight", (c["vocab_size"], width)
    yield from _biased("text_projection.linear_fc1", (text_width, text_width))
    yield from _biased("text_projection.linear_fc2", (width, text_width))
    yield from _decoder_layers("model.", c, normed_heads=True)
    yield from _prefixed("code_predictor.", _decoder_layers("model.", predictor, normed_heads=True))
    for book in range(c["num_code_groups"] - 1):
        yield f"code_predictor.model.codec_embedding.{book}.weight", (predictor["vocab_size"], width)
        yield f"code_predictor.lm_head.{book}.weight", (predictor["vocab_size"], predictor["hidden_size"])
    if width != predictor["hidden_size"]:
        yield from _biased("code_predictor.small_to_mtp_projection", (predictor["hidden_size"], width))


def _decoder_layers(prefix: str, c: Mapping, *, normed_heads: bool) -> Named:
    """A stack of RMSNorm, grouped-query attention and SwiGLU, and its last norm: talker, code predictor and codec decoder share it."""
    width, inner, head = c["hidden_size"], c["intermediate_size"], c["head_dim"]
    queries, keys = c["num_attention_heads"] * head, c["num_key_value_heads"] * head
    yield f"{prefix}norm.weight", (width,)
    for i in range(c["num_hidden_layers"]):
        at = f"{prefix}layers.{i}."
        yield f"{at}input_layernorm.weight", (width,)
        yield f"{at}post_attention_layernorm.weight", (width,)
        yield f"{at}self_attn.q_proj.weight", (queries, width)
        yield f"{at}self_attn.k_proj.weight", (keys, width)
        yield f"{at}self_attn.v_proj.weight", (keys, width)
        yield f"{at}self_attn.o_proj.weight", (width, queries)
        yield f"{at}mlp.gate_proj.weight", (inner, width)
        yield f"{at}mlp.up_proj.weight", (inner, width)
        yield f"{at}mlp.down_proj.weight", (width, inner)
        if normed_heads:
            yield f"{at}self_attn.q_norm.weight", (head,)
            yield f"{at}self_attn.k_norm.weight", (head,)


def _speaker_encoder(c: Mapping) -> Named:
    """ECAPA-TDNN: a convolution, SE-Res2Net blocks, their concatenation, attentive pooling, one last 1x1 convolution."""
    channels, kernels, scale, mels = c["enc_channels"], c["enc_kernel_sizes"], c["enc_res2net_scale"], c["mel_dim"]
    yield from _biased("blocks.0.conv", (channels[0], mels, kernels[0]))
    for i in range(1, len(channels) - 1):
        at, wide = f"blocks.{i}.", channels[i]
        yield from _biased(f"{at}tdnn1.conv", (wide, channels[i - 1], 1))
        for part in range(scale - 1):
            yield from _biased(f"{at}res2net_block.blocks.{part}.conv", (wide // scale, wide // scale, kernels[i]))
        yield from _biased(f"{at}tdnn2.conv", (wide, wide, 1))
        yield from _biased(f"{at}se_block.conv1", (c["enc_se_channels"], wide, 1))
        yield from _biased(f"{at}se_block.conv2", (wide, c["enc_se_channels"], 1))
    last = channels[-1]
    yield from _biased("mfa.conv", (last, sum(channels[1:-1]), kernels[-1]))
    yield from _biased("asp.tdnn.conv", (c["enc_attention_channels"], 3 * last, 1))
    yield from _biased("asp.conv", (last, c["enc_attention_channels"], 1))
    yield from _biased("fc", (c["enc_dim"], 2 * last, 1))


def _mimi_encoder(c: Mapping) -> Named:
    """The encoder half of Mimi: SEANet, a transformer of pre-LayerNorm blocks, one more stride of two, a split residual quantizer."""
    filters, width, kernel = c["num_filters"], c["hidden_size"], c["residual_kernel_size"]
    yield from _biased("encoder.layers.0.conv", (filters, 1, c["kernel_size"]))
    layer = 1
    for ratio in reversed(c["upsampling_ratios"]):
        yield from _biased(f"encoder.layers.{layer}.block.1.conv", (filters // c["compress"], filters, kernel))
        yield from _biased(f"encoder.layers.{layer}.block.3.conv", (filters, filters // c["compress"], 1))
        yield from _biased(f"encoder.layers.{layer + 2}.conv", (2 * filters, filters, 2 * ratio))
        layer, filters = layer + 3, 2 * filters
    yield from _biased(f"encoder.layers.{layer + 1}.conv", (width, filters, c["last_kernel_size"]))
    inner, heads, keys = c["intermediate_size"], c["num_attention_heads"] * c["head_dim"], c["num_key_value_heads"] * c["head_dim"]
    for i in range(c["num_hidden_layers"]):
        at = f"encoder_transformer.layers.{i}."
        yield from _biased(f"{at}input_layernorm", (width,))
        yield from _biased(f"{at}post_attention_layernorm", (width,))
        yield f"{at}self_attn.q_proj.weight", (heads, width)
        yield f"{at}self_attn.k_proj.weight", (keys, width)
        yield f"{at}self_attn.v_proj.weight", (keys, width)
        yield f"{at}self_attn.o_proj.weight", (width, heads)
        yield f"{at}mlp.fc1.weight", (inner, width)
        yield f"{at}mlp.fc2.weight", (width, inner)
        yield f"{at}self_attn_layer_scale.scale", (width,)
        yield f"{at}mlp_layer_scale.scale", (width,)
    yield "downsample.conv.weight", (width, width, 4)
    semantic = c["num_semantic_quantizers"]
    for kind, books in (("semantic", semantic), ("acoustic", c["num_quantizers"] - semantic)):
        at, deep = f"quantizer.{kind}_residual_vector_quantizer.", c["codebook_dim"]
        yield f"{at}input_proj.weight", (deep, width, 1)
        yield f"{at}output_proj.weight", (width, deep, 1)
        for book in range(books):
            yield f"{at}layers.{book}.codebook.initialized", (1,)
            yield f"{at}layers.{book}.codebook.cluster_usage", (c["codebook_size"],)
            yield f"{at}layers.{book}.codebook.embed_sum", (c["codebook_size"], deep)


def _codec_decoder(c: Mapping) -> Named:
    """The causal decoder: split residual quantizer, transformer, two ConvNeXt upsamplers, four SnakeBeta blocks."""
    latent, deep, inner = c["latent_dim"], c["codebook_dim"] // 2, c["codebook_dim"]
    semantic = c["num_semantic_quantizers"]
    for kind, books in (("rvq_first", semantic), ("rvq_rest", c["num_quantizers"] - semantic)):
        yield f"quantizer.{kind}.input_proj.weight", (deep, inner, 1)
        yield f"quantizer.{kind}.output_proj.weight", (inner, deep, 1)
        for book in range(books):
            yield f"quantizer.{kind}.vq.layers.{book}._codebook.cluster_usage", (c["codebook_size"],)
            yield f"quantizer.{kind}.vq.layers.{book}._codebook.embedding_sum", (c["codebook_size"], deep)
    yield from _biased("pre_conv.conv", (latent, inner, 3))
    yield from _biased("pre_transformer.input_proj", (c["hidden_size"], latent))
    yield from _biased("pre_transformer.output_proj", (latent, c["hidden_size"]))
    yield from _decoder_layers("pre_transformer.", c, normed_heads=False)
    for i in range(c["num_hidden_layers"]):
        yield f"pre_transformer.layers.{i}.self_attn_layer_scale.scale", (c["hidden_size"],)
        yield f"pre_transformer.layers.{i}.mlp_layer_scale.scale", (c["hidden_size"],)
    for i, ratio in enumerate(c["upsampling_ratios"]):
        yield from _biased(f"upsample.{i}.0.conv", (latent, latent, ratio))
        yield f"upsample.{i}.1.gamma", (latent,)
        yield from _biased(f"upsample.{i}.1.dwconv.conv", (latent, 1, 7))
        yield from _biased(f"upsample.{i}.1.norm", (latent,))
        yield from _biased(f"upsample.{i}.1.pwconv1", (4 * latent, latent))
        yield from _biased(f"upsample.{i}.1.pwconv2", (latent, 4 * latent))
    yield from _prefixed("decoder.", _vocoder(c["decoder_dim"], latent, c["upsample_rates"]))


def _vocoder(width: int, latent: int, rates: list[int]) -> Named:
    yield from _biased("0.conv", (width, latent, 7))
    for i, rate in enumerate(rates, start=1):
        narrow = width // 2
        yield from _snake(f"{i}.block.0", width)
        yield from _biased(f"{i}.block.1.conv", (width, narrow, 2 * rate), bias=narrow)
        for unit in (2, 3, 4):
            yield from _snake(f"{i}.block.{unit}.act1", narrow)
            yield from _snake(f"{i}.block.{unit}.act2", narrow)
            yield from _biased(f"{i}.block.{unit}.conv1.conv", (narrow, narrow, 7))
            yield from _biased(f"{i}.block.{unit}.conv2.conv", (narrow, narrow, 1))
        width = narrow
    yield from _snake(f"{len(rates) + 1}", width)
    yield from _biased(f"{len(rates) + 2}.conv", (1, width, 7))


def _snake(name: str, width: int) -> Named:
    yield f"{name}.alpha", (width,)
    yield f"{name}.beta", (width,)
