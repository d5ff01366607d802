"""What numbers need to know of German words."""

from studio.reading.numbers.wording import Money, Noun, NumberWords, months_of

__all__ = ["WORDS"]

_RULERS = """
    Ludwig Heinrich Friedrich Wilhelm Karl Otto Konrad Philipp Rudolf Albrecht Leopold Franz Joseph Josef Maximilian Ferdinand Georg
    Eduard Jakob Richard Johannes Paul Pius Benedikt Gregor Leo Clemens Klemens Innozenz Urban Franziskus Alexander Nikolaus Peter
    Iwan Napoleon Gustav Christian August Ramses Thutmosis Amenophis Ptolemäus Darius Xerxes Elisabeth Katharina Margarete Maria
    Beatrix Königin Kleopatra Christina Charles Louis Henry Edward James Ivan Sigismund Lothar Adolf Günther Ernst Albert Alfons
    Viktor Emanuel Harald Haakon Mehmed Murad Süleyman Bonifatius Sixtus Julius Johann Stephan Kasimir Boris Carl Juan Felipe Willem
    Alexander Margrethe
"""
_SIGNS = {
    "+": "plus",
    "-": "minus",
    "−": "minus",
    "×": "mal",
    "*": "mal",
    "·": "mal",
    "√": "Wurzel aus",
    "÷": "geteilt durch",
    "/": "geteilt durch",
    ":": "geteilt durch",
}
_SIGNS |= {"=": "gleich", "<": "kleiner als", ">": "größer als", "≤": "kleiner gleich", "≥": "größer gleich", "≠": "ungleich"}
_SIGNS |= {"≈": "ungefähr", "±": "plus minus"}
_THOUSAND, _MILLION = Noun.of("tausend|tausend"), Noun.of("Million|Millionen", "f")
_MILLIARD, _BILLION = Noun.of("Milliarde|Milliarden", "f"), Noun.of("Billion|Billionen", "f")
_CENT, _DOLLAR, _EURO = Noun.of("Cent|Cent", "m"), Noun.of("Dollar|Dollar", "m"), Noun.of("Euro|Euro", "m")
WORDS = NumberWords(
    minus="minus",
    plus="plus",
    point="Komma",
    version="Version",
    dot="Punkt",
    percent="Prozent|Prozent",
    permille="Promille|Promille",
    unit_genders={"Prozent|Prozent": "n", "Promille|Promille": "n"},
    to="bis",
    ratio="zu",
    by="mal",
    per="pro",
    about="circa",
    signs=_SIGNS,
    power={
        "n": "hoch",
    },
    fixed={"24/7": "vierundzwanzig sieben", "50/50": "fünfzig fünfzig", "50:50": "fünfzig zu fünfzig", "9/11": "nine eleven"},
    with_number={
        "Nr.": "Nummer",
        "Nrn.": "Nummern",
        "№": "Nummer",
        "#": "Nummer",
        "S.": "Seite",
        "Kap.": "Kapitel",
        "Bd.": "Band",
        "Abs.": "Absatz",
        "Art.": "Artikel",
        "§": "Paragraf",
        "§§": "Paragrafen",
        "ca.": "circa",
        "Abb.": "Abbildung",
        "Tab.": "Tabelle",
        "Tel.": "Telefon",
        "Std.": "Stunde",
        "Anm.": "Anmerkung",
        "Ziff.": "Ziffer",
        "Zi.": "Zimmer",
        "Jg.": "Jahrgang",
        "Hs.": "Haus",
    },
    months=months_of("jan|jän|jänner feb mär|mrz apr - jun jul aug sep|sept okt nov dez"),
    scales={
        "Tsd.": _THOUSAND,
        "Tausend": _THOUSAND,
        "tausend": _THOUSAND,
        "Mio.": _MILLION,
        "Mio": _MILLION,
        "Mill.": _MILLION,
        "Million": _MILLION,
        "Millionen": _MILLION,
        "Mrd.": _MILLIARD,
        "Mrd": _MILLIARD,
        "Milliarde": _MILLIARD,
        "Milliarden": _MILLIARD,
        "Billion": _BILLION,
        "Billionen": _BILLION,
        "Bio.": _BILLION,
    },
    scale_signs={
        "k": "tausend",
        "K": "tausend",
        "M": "Million",
        "m": "Million",
        "Mrd": "Milliarde",
        "bn": "Milliarde",
        "B": "Milliarde",
    },
    money={
        "USD": Money(_DOLLAR, _CENT),
        "EUR": Money(_EURO, _CENT),
        "GBP": Money(Noun.of("Pfund|Pfund", "n"), Noun.of("Penny|Pence", "m")),
        "JPY": Money(Noun.of("Yen|Yen", "m")),
        "CNY": Money(Noun.of("Yuan|Yuan", "m")),
        "INR": Money(Noun.of("Rupie|Rupien", "f")),
        "RUB": Money(Noun.of("Rubel|Rubel", "m"), Noun.of("Kopeke|Kopeken", "f")),
        "KRW": Money(Noun.of("Won|Won", "m")),
        "CHF": Money(Noun.of("Schweizer Franken|Schweizer Franken", "m"), Noun.of("Rappen|Rappen", "m")),
        "CZK": Money(Noun.of("Krone|Kronen", "f")),
        "SEK": Money(Noun.of("schwedische Krone|schwedische Kronen", "f")),
        "DKK": Money(Noun.of("dänische Krone|dänische Kronen", "f")),
        "NOK": Money(Noun.of("norwegische Krone|norwegische Kronen", "f")),
        "PLN": Money(Noun.of("Zloty|Zloty", "m")),
        "DM": Money(Noun.of("D-Mark|D-Mark", "f"), Noun.of("Pfennig|Pfennig", "m")),
        "BTC": Money(Noun.of("Bitcoin|Bitcoin", "m")),
        "ct": Money(_CENT),
        "Franken": Money(Noun.of("Franken|Franken", "m"), Noun.of("Rappen|Rappen", "m")),
    },
    money_signs={
        "Euro": "EUR",
        "Kč": "CZK",
        "Fr.": "CHF",
        "SFr.": "CHF",
        "Ct": "ct",
        "Ct.": "ct",
        "US-Dollar": "USD",
        "Dollar": "USD",
        "¢": "ct",
    },
    units={
        "°": "Grad|Grad",
        "A": "Ampere|Ampere",
        "kmh": "speed-kilometer-per-hour",
        "t": "Tonne|Tonnen",
        "Std.": "Stunde|Stunden",
        "Min.": "Minute|Minuten",
        "Sek.": "Sekunde|Sekunden",
        "Stk.": "Stück|Stück",
        "Mbit/s": "Megabit pro Sekunde|Megabit pro Sekunde",
        "MBit/s": "Megabit pro Sekunde|Megabit pro Sekunde",
        "PS": "PS|PS",
        "Mbps": "Megabit pro Sekunde|Megabit pro Sekunde",
        "mbps": "Megabit pro Sekunde|Megabit pro Sekunde",
        "qm": "Quadratmeter|Quadratmeter",
        "MB/s": "Megabyte pro Sekunde|Megabyte pro Sekunde",
        "dB": "Dezibel|Dezibel",
        "U/min": "Umdrehung pro Minute|Umdrehungen pro Minute",
        "EL": "Esslöffel|Esslöffel",
        "TL": "Teelöffel|Teelöffel",
        "km/h": "Kilometer pro Stunde|Kilometer pro Stunde",
        "Pkt.": "Punkt|Punkte",
    },
    years=r"Jahre?|im|seit|ab|bis|von|um|vor|nach|anno|Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Frühjahr|"
    r"Frühling|Sommer|Herbst|Winter|\(|©|und|zwischen|Ende|Anfang|Mitte|Sommersemester|Baujahr|Jahrgang|geboren|Ostern|Weihnachten|in",
    rulers=frozenset(_RULERS.split()),
    roman_nouns="Kapitel|Teil|Akt|Szene|Band|Buch|Artikel|Abschnitt|Stufe|Klasse|Typ|Phase|Gruppe|Lektion|Hartz|Final Fantasy|"
    "Super Bowl|Apollo|Tabelle|Anhang",
    centuries="Weltkriegs?|Weltkrieges|Jahrhunderts?|Akt|Teil|Kapitel|Internationalen?|Olympischen?|Vatikanischen?|Vatikanum|"
    "Reich|Liga|Korps|Armeekorps",
)
