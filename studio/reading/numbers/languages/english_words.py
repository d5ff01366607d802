"""What numbers need to know of English words."""

from studio.reading.numbers.grammar import Money, Noun, Words

__all__ = ["WORDS"]

_RULERS = """
    Henry Edward George Charles William Richard James Elizabeth Mary Louis Philip Napoleon Frederick Wilhelm Catherine Peter
    Alexander Nicholas Paul Pius Benedict Gregory Leo Clement Innocent Urban Francis Albert Leopold Victor Ferdinand Alfonso Ivan
    Gustav Christian Rama Ramses Ramesses Thutmose Amenhotep Ptolemy Cleopatra Darius Xerxes Mehmed Murad Suleiman Selim Harald
    Haakon Olaf Carl Otto Konrad Joseph Margaret Isabella Juan Robert David Malcolm Kenneth Baldwin Philippe Umberto Pedro Sixtus
    Boniface Celestine Julius Baudouin Christina Frederik Franz Maximilian Rudolf Sigismund Casimir Stephen John Antiochus Seti
    Mahmud Abdulhamid Bela
"""
_SIGNS = {"+": "plus", "-": "minus", "−": "minus", "×": "times", "*": "times", "·": "times", "÷": "divided by", "/": "divided by"}
_SIGNS |= {"=": "equals", "<": "less than", ">": "greater than", "≤": "at most", "≥": "at least", "≠": "is not equal to"}
_SIGNS |= {"≈": "is about", "±": "plus or minus"}
_CENT = Noun.of("cent|cents")
WORDS = Words(
    minus="minus",
    plus="plus",
    point="point",
    version="version",
    dot="dot",
    version_dot="point",
    percent="percent",
    permille="per mille",
    to="to",
    ratio="to",
    by="by",
    per="per",
    about="about",
    signs=_SIGNS,
    power={"2": "squared", "3": "cubed", "n": "to the power of"},
    fixed={"24/7": "twenty-four seven", "9/11": "nine eleven", "50/50": "fifty fifty", "50-50": "fifty fifty", "20/20": "twenty twenty"},
    and_fraction=" and ",
    with_number={"No.": "number", "no.": "number", "Nos.": "numbers", "№": "number", "#": "number", "p.": "page", "pp.": "pages"}
    | {"Vol.": "volume", "vol.": "volume", "Ch.": "chapter", "ch.": "chapter", "Fig.": "figure", "fig.": "figure", "§": "section"}
    | {"Sec.": "section", "sec.": "section", "Art.": "article", "Eq.": "equation", "Ex.": "example", "Tel.": "telephone", "c.": "circa"}
    | {"ca.": "circa", "approx.": "approximately", "Apt.": "apartment", "Rm.": "room", "Ep.": "episode", "Bldg.": "building"},
    months={"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12},
    scales={name: Noun.of(f"{name}|{name}") for name in ("hundred", "thousand", "million", "billion", "trillion", "quadrillion")},
    scale_signs={"k": "thousand", "K": "thousand", "m": "million", "M": "million", "mn": "million", "mm": "million", "MM": "million"}
    | {"bn": "billion", "b": "billion", "B": "billion", "tn": "trillion", "T": "trillion"},
    money={
        "USD": Money(Noun.of("dollar|dollars"), _CENT),
        "CAD": Money(Noun.of("Canadian dollar|Canadian dollars"), _CENT),
        "AUD": Money(Noun.of("Australian dollar|Australian dollars"), _CENT),
        "EUR": Money(Noun.of("euro|euros"), _CENT),
        "GBP": Money(Noun.of("pound|pounds"), Noun.of("penny|pence")),
        "JPY": Money(Noun.of("yen|yen")),
        "CNY": Money(Noun.of("yuan|yuan")),
        "INR": Money(Noun.of("rupee|rupees"), Noun.of("paisa|paise")),
        "RUB": Money(Noun.of("ruble|rubles"), Noun.of("kopek|kopeks")),
        "KRW": Money(Noun.of("won|won")),
        "CHF": Money(Noun.of("Swiss franc|Swiss francs"), Noun.of("rappen|rappen")),
        "SEK": Money(Noun.of("Swedish krona|Swedish kronor")),
        "NOK": Money(Noun.of("Norwegian krone|Norwegian kroner")),
        "DKK": Money(Noun.of("Danish krone|Danish kroner")),
        "PLN": Money(Noun.of("zloty|zlotys")),
        "CZK": Money(Noun.of("koruna|korunas")),
        "BTC": Money(Noun.of("bitcoin|bitcoins")),
        "¢": Money(_CENT),
        "p": Money(Noun.of("p|p")),
    },
    money_signs={"C$": "CAD", "CA$": "CAD", "A$": "AUD", "AU$": "AUD", "Kč": "CZK", "Rs.": "INR", "Rs": "INR", "¢": "¢"},
    money_joint=" and ",
    units={
        "in.": "inch|inches",
        "ft.": "foot|feet",
        "lb.": "pound|pounds",
        "lbs.": "pounds|pounds",
        "oz.": "ounce|ounces",
        "hrs": "hour|hours",
    }
    | {
        "hr": "hour|hours",
        "mins": "minute|minutes",
        "secs": "second|seconds",
        "yrs": "year|years",
        "Mbps": "megabit per second|megabits per second",
    }
    | {
        "mbps": "megabit per second|megabits per second",
        "Gbps": "gigabit per second|gigabits per second",
        "kbps": "kilobit per second|kilobits per second",
    }
    | {
        "MB/s": "megabyte per second|megabytes per second",
        "GB/s": "gigabyte per second|gigabytes per second",
        "fps": "frame per second|frames per second",
    }
    | {
        "rpm": "revolution per minute|revolutions per minute",
        "sq ft": "square foot|square feet",
        "sq. ft.": "square foot|square feet",
        "mpg": "mile per gallon|miles per gallon",
    }
    | {
        "dB": "decibel|decibels",
        "ppm": "part per million|parts per million",
        "psi": "pound per square inch|pounds per square inch",
        "hp": "horsepower|horsepower",
    }
    | {
        "fl oz": "fluid ounce|fluid ounces",
        "tbsp": "tablespoon|tablespoons",
        "tsp": "teaspoon|teaspoons",
        "qt": "quart|quarts",
        "gal": "gallon|gallons",
    }
    | {
        "mAh": "milliampere hour|milliampere hours",
        "N": "newton|newtons",
        "J": "joule|joules",
        "Ah": "ampere hour|ampere hours",
        "kWh": "kilowatt hour|kilowatt hours",
    },
    years=r"in|since|from|by|until|till|before|after|around|circa|between|during|of|year|the|to|and|late|early|mid|through|class of|"
    r"spring|summer|autumn|fall|winter|[A-Z][a-z]+,|\(|©|\(c\)|copyright|born|died|back in|'s",
    rulers=frozenset(_RULERS.split()),
    roman_nouns="World War|Chapter|CHAPTER|Part|PART|Act|ACT|Scene|SCENE|Book|BOOK|Volume|Vol\\.|Section|Title|Article|Phase|Type|Class|Level|Stage|Appendix|"
    "Super Bowl|Episode|Canto|Psalm|Grade|Category|Mark|Schedule|Figure|Table|Lesson|Unit|Tier|Season|Round|Final Fantasy|Apollo|Group|Division|"
    "chapter|part|act|scene|book|volume|section|article|phase|type|class|level|stage|appendix|figure|table|tier",
    centuries="[Cc]entury|[Cc]enturies|Olympi(?:c|ad)s?|[Cc]ongress|[Dd]ynasty|Corps",
)
