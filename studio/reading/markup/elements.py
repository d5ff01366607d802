"""Elements of SSML and HTML: which names are one, and what each means to a reading."""

from studio.reading.silences import HEADING, ITEM, LINE, PARAGRAPH, RULE, SENTENCE

__all__ = ["CELLS", "SILENCES", "UNSAID", "is_element", "is_inline", "is_plain"]

# Elements of W3C SSML 1.1 and of what clouds add to it without a prefix.
_SSML = frozenset(
    """speak lexicon lookup meta metadata p s token w say-as phoneme sub lang voice emphasis break prosody audio mark desc par seq media
    strong""".split()  # noqa: SIM905 a list is longer
)
_VENDORS = ("amazon:", "mstts:", "google:", "speaker:", "effect:")
# The HTML standard's elements, those that it has dropped but people write, and those of what is drawn.
_HTML = frozenset(
    """a abbr acronym address area article aside b bdi bdo big blockquote body br button canvas caption center cite code col colgroup
    data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header
    hgroup hr html i iframe img input ins kbd label legend li link main map math menu meta meter nav nobr noscript object ol optgroup
    option output p param picture pre progress q rb rp rt rtc ruby samp script search section select slot small source span strike strong
    style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr""".split()  # noqa: SIM905
)
# What stands between two letters of one word without parting them.
_INLINE = frozenset(
    """a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q samp small span strike strong sub sup time tt
    u var wbr say-as phoneme emphasis prosody w token lang voice ruby rb""".split()  # noqa: SIM905
)
# Whose words nobody is to hear. Closed or not, they go up to their end.
UNSAID = frozenset(("script", "style", "head", "pre", "svg", "math", "template", "noscript", "iframe", "object", "canvas", "rt", "rp"))
CELLS = frozenset(("td", "th"))
_OF = {
    SENTENCE: "s",
    LINE: "br",
    ITEM: "li dt dd tr option legend caption figcaption summary",
    PARAGRAPH: "p speak div ul ol dl table blockquote section article aside header footer main nav address fieldset figure form details "
    "menu",
    HEADING: "h1 h2 h3 h4 h5 h6 title",
    RULE: "hr",
}
SILENCES: dict[str, float] = {name: seconds for seconds, names in _OF.items() for name in names.split()}  # of both of its tags


def is_element(name: str) -> bool:
    """name: in small letters."""
    return name in _HTML or name in _SSML or name.startswith(_VENDORS)


def is_inline(name: str) -> bool:
    """Whether its tags part no words."""
    return name in _INLINE


def is_plain(name: str) -> bool:
    """Whether its tags ask for nothing that could be heard."""
    return name in ("speak", "s", "w", "token") or (name in _HTML and name not in ("audio", "video", "embed", "object"))
