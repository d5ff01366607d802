"""Names and shapes of a Voxtral TTS checkpoint, from its params.json; vllm-omni 0.30.0, and the header of the released file."""

from collections.abc import Mapping

__all__ = ["ENCODER", "FLOW", "HEAD", "TABLE", "codec_tensors", "main_tensors"]

Shapes = dict[str, tuple[int, ...]]

N_SPECIAL, ROW_MULTIPLE = 2, 128
FLOW, CODEC = "acoustic_transformer", "audio_tokenizer"
TABLE = "mm_audio_embeddings.audio_codebook_embeddings.embeddings.weight"
HEAD = f"{FLOW}.semantic_codebook_output.weight"
ENCODER = (f"{CODEC}.input_proj", f"{CODEC}.encoder_blocks")  # what the release does not have
# of the encoder, of which the released file says nothing (AudioTokenizerArgs)
ENCODER_LISTS = {"transformer_lengths": "2,2,2,2", "convs_kernels": "4,4,4,3", "convs_strides": "2,2,2,1"}


def main_tensors(config: Mapping, *, encoder: bool = False, frequencies: bool = False) -> Shapes:
    """Everything in the file, in the order of names. config: of params.json.

    frequencies: with those of the time embedding, which official code keeps among its weights and the release leaves out.
    """
    audio, codec = config["multimodal"]["audio_model_args"], config["multimodal"]["audio_tokenizer_args"]
    flow, dim = audio["acoustic_transformer_args"], config["dim"]
    sizes = [audio["semantic_codebook_size"], *[audio["acoustic_codebook_size"]] * audio["n_acoustic_codebook"]]
    shapes: Shapes = {
        "norm.weight": (dim,),
        "mm_audio_embeddings.tok_embeddings.weight": (config["vocab_size"], dim),
        TABLE: (_padded(sum(size + N_SPECIAL for size in sizes)), dim),
        HEAD: (_padded(sizes[0] + N_SPECIAL), flow["dim"]),
        f"{FLOW}.acoustic_codebook_output.weight": (len(sizes) - 1, flow["dim"]),
        f"{FLOW}.input_projection.weight": (flow["dim"], len(sizes) - 1),
        f"{FLOW}.time_projection.weight": (flow["dim"], flow["dim"]),
        f"{FLOW}.llm_projection.weight": (flow["dim"], flow["input_dim"]),
        f"{FLOW}.norm.weight": (flow["dim"],),
        **_layers("layers", config, config["n_layers"]),
        **_layers(f"{FLOW}.layers", flow, flow["n_layers"]),
        **codec_tensors(codec, encoder=encoder),
    }
    if frequencies:
        shapes[f"{FLOW}.time_embedding.inv_freq"] = (flow["dim"] // 2,)
    return dict(sorted(shapes.items()))


def codec_tensors(codec: Mapping, *, encoder: bool) -> Shapes:
    """Of the codec alone, under the names in the file. codec: `audio_tokenizer_args`."""
    dim, patch, kernel = codec["dim"], codec["pretransform_patch_size"], codec["patch_proj_kernel_size"]
    latent, book = codec["semantic_dim"] + codec["acoustic_dim"], f"{CODEC}.quantizer.semantic_codebook"
    shapes = _conv(f"{CODEC}.output_proj", patch, dim, kernel)
    shapes[f"{book}.cluster_usage"] = (codec["semantic_codebook_size"],)
    shapes[f"{book}.embedding_sum"] = (codec["semantic_codebook_size"], codec["semantic_dim"])
    lengths, kernels = (_numbers(codec, f"decoder_{what}") for what in ("transformer_lengths", "convs_kernels"))
    for stage, (n_layers, width) in enumerate(zip(lengths, kernels, strict=True)):
        before = latent if stage == 0 else dim
        shapes |= _conv(f"{CODEC}.decoder_blocks.{2 * stage}", dim, before, width)
        shapes |= _layers(f"{CODEC}.decoder_blocks.{2 * stage + 1}.layers", codec, n_layers, of_codec=True)
    if encoder:
        shapes |= _conv(f"{CODEC}.input_proj", dim, patch, kernel)
        lengths, kernels = (_numbers(codec, f"encoder_{what}") for what in ("transformer_lengths", "convs_kernels"))
        for stage, (n_layers, width) in enumerate(zip(lengths, kernels, strict=True)):
            after = latent if stage == len(lengths) - 1 else dim
            shapes |= _layers(f"{CODEC}.encoder_blocks.{2 * stage}.layers", codec, n_layers, of_codec=True)
            shapes |= _conv(f"{CODEC}.encoder_blocks.{2 * stage + 1}", after, dim, width)
    return shapes


def _layers(at: str, sizes: Mapping, n_layers: int, *, of_codec: bool = False) -> Shapes:
    """of_codec: with norms over all heads of queries and of keys, and a scale of each half."""
    dim, inner, head = sizes["dim"], sizes["hidden_dim"], sizes["head_dim"]
    queries, keys = sizes["n_heads"] * head, sizes["n_kv_heads"] * head
    shapes: Shapes = {}
    for layer in (f"{at}.{i}" for i in range(n_layers)):
        shapes |= {f"{layer}.attention.wq.weight": (queries, dim), f"{layer}.attention.wo.weight": (dim, queries)}
        shapes |= {f"{layer}.attention.{name}.weight": (keys, dim) for name in ("wk", "wv")}
        shapes |= {f"{layer}.feed_forward.{name}.weight": (inner, dim) for name in ("w1", "w3")}
        shapes[f"{layer}.feed_forward.w2.weight"] = (dim, inner)
        shapes |= {f"{layer}.{name}.weight": (dim,) for name in ("attention_norm", "ffn_norm")}
        if of_codec:
            shapes |= {f"{layer}.attention.q_norm.weight": (queries,), f"{layer}.attention.k_norm.weight": (keys,)}
            shapes |= {f"{layer}.{name}": (dim,) for name in ("attention_scale", "ffn_scale")}
    return shapes


def _conv(at: str, outputs: int, inputs: int, kernel: int) -> Shapes:
    """Gain and direction; of transposed ones the gain is per input, which are as many."""
    weight = f"{at}.conv.parametrizations.weight"
    return {f"{weight}.original0": (outputs, 1, 1), f"{weight}.original1": (outputs, inputs, kernel)}


def _numbers(codec: Mapping, name: str) -> list[int]:
    half, _, what = name.partition("_")
    text = codec[f"{name}_str"] if half == "decoder" else codec.get(f"{name}_str", ENCODER_LISTS[what])
    return [int(number) for number in text.split(",")]


def _padded(n_rows: int) -> int:
    return -(-n_rows // ROW_MULTIPLE) * ROW_MULTIPLE
