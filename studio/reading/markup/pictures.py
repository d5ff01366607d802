"""PICTURE: what is drawn as a picture: by default (Emoji_Presentation of Unicode 16, emoji-data.txt) or with U+FE0F behind it.

EMOTICON: the same of letters and marks, :-) and <3. Marks that are read as text (™, ✓, ♯) are none, and of the keycap 1️⃣ the digit stays.
"""

__all__ = ["EMOTICON", "JOINER", "PICTURE", "PICTURE_BEGUN"]

_RANGES = (  # Emoji_Presentation, whole blocks of pictographs taken together
    "\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1\u26aa\u26ab\u26bd\u26be\u26c4\u26c5"
    "\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757\u2795-\u2797\u27b0\u27bf"
    "\u2b1b\u2b1c\u2b50\u2b55\U0001f004\U0001f0cf\U0001f18e\U0001f191-\U0001f19a\U0001f1e6-\U0001f1ff\U0001f201\U0001f21a\U0001f22f"
    "\U0001f232-\U0001f236\U0001f238-\U0001f23a\U0001f250\U0001f251\U0001f300-\U0001f64f\U0001f680-\U0001f6ff\U0001f7e0-\U0001f7eb"
    "\U0001f7f0\U0001f900-\U0001f9ff\U0001fa70-\U0001faff"
    "\u2639\u263a\u2661\u2665\u2764"  # faces and hearts, which nobody has read to them
)
_SIGNS = "\u203c\u2049\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f100-\U0001f2ff"
_ONE = rf"(?:[{_RANGES}]|[{_SIGNS}]\ufe0f)"
_TRAIL = "[\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"
_FLAG_LETTER = "[\U0001f1e6-\U0001f1ff]"

PICTURE = rf"{_FLAG_LETTER}{{2}}|{_ONE}{_TRAIL}(?:\u200d(?:{_ONE}|[\u2190-\u2bff]){_TRAIL})*"
PICTURE_BEGUN = rf"{_FLAG_LETTER}+\Z|(?:{PICTURE}|[{_SIGNS}])\u200d?\Z"
JOINER = "\ufe0f?\u20e3|[\ufe0e\ufe0f]"  # of a keycap, and of how a sign is to be drawn
EMOTICON = (
    r"(?<!\S)(?:[:;=]['’^]?-?[)(DPp|*]+|:-?[/oO](?!\w)|<3+|\^[_.]?\^|[xX]D|[-oO>][_.][-oO<]|¯\\?_+\(ツ\)_+/¯|ʕ.{3,5}ʔ)(?=[\s.,!?]|\Z)"
)
