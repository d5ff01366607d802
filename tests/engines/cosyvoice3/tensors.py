"""Names and shapes of the tensors in the three .pt files of a CosyVoice3 checkpoint, by its configuration."""

from collections.abc import Sequence

from engines.cosyvoice3.config import CONV_GROUPS, CosyVoice3Config, FlowConfig, VocoderConfig

__all__ = ["EMBED", "HEAD", "Shapes", "flow_tensors", "hift_tensors", "llm_tensors"]

EMBED, HEAD = "llm.model.model.embed_tokens.weight", "llm.model.lm_head.weight"  # two names of one storage
TIME_CHANNELS, POSITION_KERNEL = 256, 31  # cosyvoice/flow/DiT/modules.py @ ace7c47

Shapes = dict[str, tuple[int, ...]]


def llm_tensors(config: CosyVoice3Config) -> Shapes:
    """Of llm.pt."""
    sizes = config.language
    width, inner = sizes.hidden_size, sizes.intermediate_size
    queries, keys = (heads * sizes.head_dim for heads in (sizes.num_attention_heads, sizes.num_key_value_heads))
    shapes: Shapes = {EMBED: (sizes.vocab_size, width), HEAD: (sizes.vocab_size, width), "llm.model.model.norm.weight": (width,)}
    shapes |= {f"{name}.weight": (sizes.n_speech_rows, width) for name in ("llm_decoder", "speech_embedding")}
    for index in range(sizes.num_hidden_layers):
        at = f"llm.model.model.layers.{index}"
        for part, rows in (("q", queries), ("k", keys), ("v", keys)):
            shapes |= _affine(f"{at}.self_attn.{part}_proj", (rows, width))
        shapes[f"{at}.self_attn.o_proj.weight"] = (width, queries)
        shapes |= {f"{at}.mlp.{gate}_proj.weight": (inner, width) for gate in ("gate", "up")}
        shapes[f"{at}.mlp.down_proj.weight"] = (width, inner)
        shapes |= {f"{at}.{norm}_layernorm.weight": (width,) for norm in ("input", "post_attention")}
    return shapes


def flow_tensors(config: FlowConfig) -> Shapes:
    """Of flow.pt."""
    mel, width, inner = config.mel_dim, config.dim, config.heads * config.dim_head
    shapes: Shapes = {"input_embedding.weight": (config.vocab_size, mel)} | _affine("spk_embed_affine_layer", (mel, config.spk_embed_dim))
    shapes |= _affine("pre_lookahead_layer.conv1", (config.lookahead_channels, mel, config.pre_lookahead_len + 1))
    shapes |= _affine("pre_lookahead_layer.conv2", (mel, config.lookahead_channels, 3))
    net = "decoder.estimator"
    shapes |= _affine(f"{net}.time_embed.time_mlp.0", (width, TIME_CHANNELS)) | _affine(f"{net}.time_embed.time_mlp.2", (width, width))
    shapes |= _affine(f"{net}.input_embed.proj", (width, 4 * mel))
    for conv in ("conv1", "conv2"):
        shapes |= _affine(f"{net}.input_embed.conv_pos_embed.{conv}.0", (width, width // CONV_GROUPS, POSITION_KERNEL))
    shapes[f"{net}.rotary_embed.inv_freq"] = (config.dim_head // 2,)
    for index in range(config.depth):
        at = f"{net}.transformer_blocks.{index}"
        shapes |= _affine(f"{at}.attn_norm.linear", (6 * width, width)) | _affine(f"{at}.attn.to_out.0", (width, inner))
        for part in ("to_q", "to_k", "to_v"):
            shapes |= _affine(f"{at}.attn.{part}", (inner, width))
        shapes |= _affine(f"{at}.ff.ff.0.0", (config.ff_mult * width, width)) | _affine(f"{at}.ff.ff.2", (width, config.ff_mult * width))
    return shapes | _affine(f"{net}.norm_out.linear", (2 * width, width)) | _affine(f"{net}.proj_out", (mel, width))


def hift_tensors(config: VocoderConfig) -> Shapes:
    """Of hift.pt."""
    width, n_bins = config.base_channels, config.n_fft + 2  # real and imaginary halves
    shapes = _normed("conv_pre", (width, config.in_channels, config.conv_pre_look_right + 1))
    down = config.frame_samples // config.hop_len  # steps of the last stage per frame, from which the source comes down
    for stage, (rate, kernel) in enumerate(zip(config.upsample_rates, config.upsample_kernel_sizes, strict=True)):
        shapes |= _normed(f"ups.{stage}", (width // 2, width, kernel))
        width, down = width // 2, down // rate
        shapes |= _affine(f"source_downs.{stage}", (width, n_bins, 1 if down == 1 else 2 * down))
        source = config.source_resblock_kernel_sizes[stage], config.source_resblock_dilation_sizes[stage]
        shapes |= _residual(f"source_resblocks.{stage}", width, *source)
        blocks = list(zip(config.resblock_kernel_sizes, config.resblock_dilation_sizes, strict=True))
        for index, (size, dilations) in enumerate(blocks):
            shapes |= _residual(f"resblocks.{stage * len(blocks) + index}", width, size, dilations)
    shapes |= _normed("conv_post", (n_bins, width, 7)) | _affine("m_source.l_linear", (1, config.nb_harmonics + 1))
    channels = config.f0_channels
    for index in range(5):
        shapes |= _normed(f"f0_predictor.condnet.{2 * index}", (channels, channels, 3) if index else (channels, config.in_channels, 4))
    return shapes | _affine("f0_predictor.classifier", (1, channels))


def _affine(at: str, shape: tuple[int, ...]) -> Shapes:
    return {f"{at}.weight": shape, f"{at}.bias": shape[:1]}


def _normed(at: str, shape: tuple[int, ...]) -> Shapes:
    """A convolution of a gain and a direction."""
    weight = f"{at}.parametrizations.weight"
    return {f"{weight}.original0": (shape[0], 1, 1), f"{weight}.original1": shape, f"{at}.bias": shape[:1]}


def _residual(at: str, width: int, kernel: int, dilations: Sequence[int]) -> Shapes:
    shapes: Shapes = {}
    for index in range(len(dilations)):
        shapes |= _normed(f"{at}.convs1.{index}", (width, width, kernel)) | _normed(f"{at}.convs2.{index}", (width, width, kernel))
        shapes |= {f"{at}.activations{half}.{index}.alpha": (width,) for half in (1, 2)}
    return shapes
