"""Rules for the keys of the makers' YAML files that no dataclass reads: implemented values, and keys without effect, with reasons.

The file names classes. Their arguments are those of the official package (pocket-tts 4.0.1, utils/config.py), which refuses all other keys.
"""

from engines.kit.weights.config_reading import Rules

__all__ = ["BACKBONE", "CODEC_TRANSFORMER", "FLOW_LM", "HEAD", "MIMI", "MODEL", "QUANTIZER", "SEANET", "TOKEN_TABLE"]

MODEL = Rules(
    inert={
        "addresses: what is read is the file beside this one": "weights_path weights_path_without_voice_cloning",
        "read beside the rules of text": "flow_lm mimi default_temperature default_eos_threshold",
    }
)
FLOW_LM = Rules(only={"dtype": ("float32",), "weights_path": (None,)})
HEAD = Rules()
BACKBONE = Rules()
TOKEN_TABLE = Rules(
    inert={"an address: what is read is the file beside this one": "tokenizer_path", "says which file that is": "tokenizer"}
)
MIMI = Rules(
    only={"dtype": ("float32",), "sample_rate": (24_000,), "frame_rate": (12.5,), "channels": (1,), "weights_path": (None,)},
    inert={"read as a section of its own": "quantizer"},
)
SEANET = Rules(
    only={"channels": (1,), "n_residual_layers": (1,), "pad_mode": ("constant",)},
    inert={"of residual layers after the first: its power is the first layer's dilation, 1": "dilation_base"},
)
CODEC_TRANSFORMER = Rules(
    inert={
        "of training: the first value of what the weights hold": "layer_scale",
        "compared with d_model": "input_dimension output_dimensions",
    }
)
QUANTIZER = Rules(inert={"compared with what is beside it": "dimension output_dimension"})
