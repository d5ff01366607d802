"""The two networks that learn a speaker, read from their ONNX files or from other weights with these names. Sizes come from the weights."""

from pathlib import Path

import torch

from engines.cosyvoice3.reference.onnx_weights import OnnxWeights
from engines.cosyvoice3.reference.speech_tokenizer import BOUND, HEAD_DIM, NORM_EPS, SpeechTokenizer, SpeechTokenizerConfig
from engines.errors import CheckpointInvalid
from engines.kit.speaker.campplus import NORM_EPS as BATCH_NORM_EPS
from engines.kit.speaker.campplus import SEGMENT_FRAMES, CampPlus, CampPlusConfig
from engines.kit.weights.checkpoint import Checkpoint, without_memory
from engines.kit.weights.onnx_graph import OnnxGraph

__all__ = ["load_speaker_encoder", "load_speech_tokenizer", "read_speaker_encoder", "read_speech_tokenizer"]

TOKENIZER_ROOTS, ENCODER_ROOTS = ("conv1", "conv2", "blocks", "quantizer"), ("head", "xvector")
MOST_LAYERS = 200  # of one network; the released ones have 12 and 24 at most in a row
N_BANDS = 80  # of the filter bank; weights do not say it


@torch.no_grad()
def read_speech_tokenizer(path: Path, device: torch.device) -> SpeechTokenizer:
    """speech_tokenizer_v3.onnx. Raises CheckpointInvalid that says what is missing, left over or other than it should be."""
    weights = OnnxWeights(path, TOKENIZER_ROOTS)
    weights.check_numbers("The epsilon of its layer norms", _norm_epsilons(weights), NORM_EPS)
    weights.check_numbers("The bound of its quantizer", _bounds(weights), BOUND)
    width, n_mels = _size(weights, "conv1.weight", 0), _size(weights, "conv1.weight", 1)
    if width % HEAD_DIM:
        raise CheckpointInvalid(f"{path.name} has {width} channels, which are no heads of {HEAD_DIM}.", "Fetch the right model.")
    config = SpeechTokenizerConfig(n_mels, width, _n_layers(weights, "blocks.{}.attn_ln.weight", 0))
    return load_speech_tokenizer(weights, config, device)


@torch.no_grad()
def read_speaker_encoder(path: Path, device: torch.device) -> CampPlus:
    """campplus.onnx. Raises CheckpointInvalid that says what is missing, left over or other than it should be."""
    weights = OnnxWeights(path, ENCODER_ROOTS)
    nodes = weights.graph.nodes
    epsilons = [node.number("epsilon", BATCH_NORM_EPS) for node in nodes if node.op == "BatchNormalization"]
    weights.check_numbers("The epsilon of its batch norms", epsilons, BATCH_NORM_EPS)
    segments = [size for node in nodes if node.op == "AveragePool" for size in node.sizes("kernel_shape")]
    weights.check_numbers("The length of its segments", segments, SEGMENT_FRAMES)
    local = "xvector.block1.tdnnd1.cam_layer.linear_local.weight"
    first, second, third = (_n_layers(weights, f"xvector.block{block}.tdnnd{{}}.linear1.weight", 1) for block in (1, 2, 3))
    config = CampPlusConfig(
        n_bands=N_BANDS,
        channels=_size(weights, "head.conv1.weight", 0),
        width=_size(weights, "xvector.tdnn.linear.weight", 0),
        growth=_size(weights, local, 0),
        bottleneck=_size(weights, local, 1),
        layers=(first, second, third),
        embedding=_size(weights, "xvector.dense.linear.weight", 0),
    )
    return load_speaker_encoder(weights, config, device)


def load_speech_tokenizer(weights: Checkpoint, config: SpeechTokenizerConfig, device: torch.device) -> SpeechTokenizer:
    """Of these sizes, filled. Raises CheckpointInvalid."""
    tokenizer = without_memory(lambda: SpeechTokenizer(config))
    _fill(tokenizer, weights, device)
    tokenizer.prepare_weights()
    return tokenizer


def load_speaker_encoder(weights: Checkpoint, config: CampPlusConfig, device: torch.device) -> CampPlus:
    """Of these sizes, filled. Raises CheckpointInvalid."""
    encoder = without_memory(lambda: CampPlus(config))
    _fill(encoder, weights, device)
    encoder.prepare_weights()
    return encoder


def _fill(network: SpeechTokenizer | CampPlus, weights: Checkpoint, device: torch.device) -> None:
    weights.load_into(network, device=device)
    network.weights_digest = weights.digest(weights.names)


def _size(weights: Checkpoint, name: str, dimension: int) -> int:
    shape = weights.shape(name)
    if len(shape) <= dimension or not shape[dimension]:
        raise CheckpointInvalid(f"{name} is of shape {shape}, which no such network has.", "Fetch the weights again.")
    return shape[dimension]


def _n_layers(weights: Checkpoint, pattern: str, first: int) -> int:
    """How many there are in a row; a gap is found when all are loaded."""
    number = next(count for count in range(MOST_LAYERS + 1) if pattern.format(first + count) not in weights.names)
    if number in {0, MOST_LAYERS}:
        fact = f"There are {number or 'no'} layers {pattern.format('*')}; a network has from 1 to {MOST_LAYERS - 1}."
        raise CheckpointInvalid(fact, "Fetch the weights again.")
    return number


def _norm_epsilons(weights: OnnxWeights) -> list[float]:
    """Of every layer norm, which is one node, or the root of a variance to which it was added."""
    graph = weights.graph
    sums = {output: node for node in graph.nodes if node.op == "Add" for output in node.outputs}
    roots = [sums[name] for node in graph.nodes if node.op == "Sqrt" for name in node.inputs if name in sums]
    added = [weights.scalar(name) for node in roots for name in node.inputs]
    whole = [node.number("epsilon", NORM_EPS) for node in graph.nodes if node.op == "LayerNormalization"]
    return [value for value in added if value is not None] + whole


def _bounds(weights: OnnxWeights) -> list[float]:
    """What the quantizer's channels are multiplied by before they are rounded."""
    bounded = _outputs(weights.graph, "Tanh")
    products = [node for node in weights.graph.nodes if node.op == "Mul" and bounded & set(node.inputs)]
    factors = [weights.scalar(name) for node in products for name in node.inputs]
    return [value for value in factors if value is not None]


def _outputs(graph: OnnxGraph, op: str) -> set[str]:
    return {output for node in graph.nodes if node.op == op for output in node.outputs}
