"""Text normalization: writes numbers, dates and signs as words, by the grammars of text_grammar.py.

Which grammar, and what happens before and after it, follow TextNormalizer of voxcpm 2.0.3, with these differences: of Markdown and HTML the
marks go and their words stay (upstream drops `code`, and all between < and >); a text of another script, or one that a grammar fails on, is
refused, not read as English.
"""

import re

from engines.text.text_grammar import read_by_grammar

__all__ = ["normalized"]

CHINESE = re.compile("[\u4e00-\u9fff]")
MARKS = (
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),  # links and pictures: their words
    (re.compile(r"</?[A-Za-z][^<>]*>|`+|^(?:#{1,6}|-)\s+"), ""),  # tags; code; a heading or an item of a list
    (re.compile("[\u2300-\u23ff\u2600-\u2775\u2794-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\u200d\u20e3\ufe0f]"), ""),  # emoji
    (re.compile("[“”]"), '"'),
)
MINUS = re.compile(r"(?<=[a-zA-Z0-9])-(?=\d)")  # in x-2, which the grammar would read as x and minus two
BLANK = re.compile(r"(?<![!-~]) +| +(?![!-~])")  # all but those between two characters of ASCII
SIGNS = str.maketrans({"²": "平方", "³": "立方", "√": "根号", "≈": "约等于", "<": "小于"} | dict.fromkeys("（）【】", " "))


def normalized(text: str) -> str:
    """The text with numbers and signs as words: Chinese words where it has any Chinese character, else English ones.

    Raises OptionInvalid where wetext is not installed, and where it cannot read the text as either.
    """
    for pattern, stands in MARKS:
        text = pattern.sub(stands, text)
    text = text.strip()
    if not CHINESE.search(text):
        return read_by_grammar(text, "en")
    said = read_by_grammar(MINUS.sub(" - ", text.replace("=", "等于")), "zh")
    return BLANK.sub("", said).translate(SIGNS).replace("——", " ")
