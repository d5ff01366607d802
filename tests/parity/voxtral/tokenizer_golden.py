"""Ids that mistral-common gives with a made-up tekken.json: `python -m tests.parity.voxtral.tokenizer_golden`.

To be run where mistral-common 1.13.1 is; it writes the file that tests/engines/voxtral/test_tokenizer.py reads, the same bytes each time.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import mistral_common
from mistral_common.protocol.speech.request import SpeechRequest
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

from tests.engines.voxtral.vocabulary import GOLDEN_TOKENIZER, write_tokenizer

FILE = Path(__file__).parent / "golden" / "tokenizer.json"
LINES = (
    "", " ", "   ", "the voice of voices", "Voice voICE VOICE thevoice", " two  blanks \n\n and\r\nlines\t", "12 345.6",
    "straße Straße STRASSE", "नमस्ते, दुनिया", "مرحبا بالعالم", "漢字かな交じり文", "all ll lll llll lllll llllll",
    "e\u0301 é", "\U0001f469\u200d\U0001f467 🎉",
    "don't DON'T", "[INST] the voice [/INST]", "<s> </s> <unk> [AUDIO] [BEGIN_AUDIO] <SPECIAL_20>", "a/b// \\", "\u200b\u00a0\u3000",
    "\x00\ufffd", "kept kepti",
)  # fmt: skip
VOICE, N_ROWS = "casual_male", 3


def main() -> None:
    with TemporaryDirectory() as folder:
        write_tokenizer(Path(folder), voices={VOICE: N_ROWS}, **GOLDEN_TOKENIZER)
        official = MistralTokenizer.from_file(f"{folder}/tekken.json")
    words = official.instruct_tokenizer.tokenizer
    prompt = official.encode_speech_request(SpeechRequest(input=LINES[3], voice=VOICE)).tokens
    content = {
        "mistral_common": mistral_common.__version__,
        "ids": [[line, words.encode(line, bos=False, eos=False)] for line in LINES],
        "prompt": {"text": LINES[3], "n_rows": N_ROWS, "ids": prompt},
    }
    FILE.write_text(json.dumps(content).replace("]], [", "]],\n[") + "\n")


if __name__ == "__main__":
    main()
