"""What numbers need to know of Italian words."""

from studio.reading.numbers.romance.genders import Genders, capitalized_too, words_of
from studio.reading.numbers.wording import Money, Noun, NumberWords, months_of

__all__ = ["CLOSERS", "GENDERS", "LABELS", "WORDS"]

GENDERS = Genders(
    masculine=words_of("""
        hotel ristorante camion esemplare piede pesce re margine argine computer tablet telefono cantante insegnante problema
        sistema programma tema clima poeta pianeta papa dramma schema diagramma euro anno mese giorno cane paese padre nome cognome
        mare fiume ponte dente pane sole leone gigabyte megabyte terabyte kilobyte bit gigabit megabit byte pixel volt watt bar ohm
        yen bitcoin film gol file autobus tram sport chilo esame seme verme fiore cuore colore signore attore professore minore
        litro
    """),
    feminine=words_of("""
        immagine origine dose valle pelle opinione unione riunione religione questione gestione stazione vertigine voragine mano
        rivista pista lista vista intervista conquista provvista crema gemma foto moto radio auto notte parte classe legge luce voce
        chiave torre frase base fonte gente morte rete parete crisi tesi neve carne carta serie specie madre moglie arte febbre fede
        nave croce radice attrice canzone regione ragione stagione lezione tonnellata bici città età settimana email mail
    """),
    masculine_endings=words_of("o ore ale ile one iere ese ente ame ema ista"),
    feminine_endings=words_of("nione stione agine igine a zione sione gione tà tù trice udine ice"),
    both=words_of("""
        capitale fine fronte cliente insegnante cantante parente assistente presidente paziente studente abitante agente
    """),
)
CLOSERS = words_of("""
    all' dell' nell' sull' dall' d' un' a al alla alle ai allo con da dal dalla dei del della di e ed è era in il la le lo i gli l'
    ma nel nella non o per più meno che chi se si sono su sul sulla tra fra un una ha hanno contro dopo prima come quando
""")
LABELS = (
    "[Pp]agin[ae]|[Cc]apitol[oi]|[Nn]umer[oi]|[Aa]rticol[oi]|[Ll]ivello|[Tt]omo|[Vv]olume|[Pp]arte|[Ss]cena|[Aa]tto|"
    "[Rr]iga|[Cc]amera|[Ss]ala|[Aa]utobus|[Bb]inario|[Tt]appa|[Ee]pisodio|[Ss]tagione|[Tt]op|[Tt]ipo|[Ff]igura|[Tt]abella|"
    r"[Ll]otto|[Pp]orta|[Nn]\.|[Nn]°|[Pp]ag\.|[Gg]ruppo|[Cc]lasse|[Ff]ase"
)
WORDS = NumberWords(
    minus="meno",
    plus="più",
    point="virgola",
    version="versione",
    dot="punto",
    percent="per cento",
    permille="per mille",
    to="a",
    ratio="a",
    by="per",
    per="per",
    about="circa",
    signs={
        "+": "più",
        "-": "meno",
        "−": "meno",
        "=": "uguale",
        "×": "per",
        "*": "per",
        "·": "per",
        "÷": "diviso",
        "/": "diviso",
        "±": "più o meno",
        "<": "minore di",
        ">": "maggiore di",
        "≤": "minore o uguale a",
        "≥": "maggiore o uguale a",
        "≈": "circa uguale a",
        "≠": "diverso da",
    },
    power={"2": "al quadrato", "3": "al cubo", "n": "elevato a"},
    and_fraction=" e ",
    with_number=capitalized_too(
        {
            "№": "numero",
            "n.": "numero",
            "n°": "numero",
            "nº": "numero",
            "nr.": "numero",
            "pag.": "pagina",
            "pagg.": "pagine",
            "p.": "pagina",
            "cap.": "capitolo",
            "art.": "articolo",
            "vol.": "volume",
            "fig.": "figura",
            "§": "paragrafo",
        }
    ),
    months=months_of("gen.|gen feb.|feb - apr.|apr mag.|mag giu.|giu lug.|lug ago.|ago set.|sett.|sett ott.|ott nov.|nov dic.|dic"),
    scales={
        "mila": Noun.of("mila", "m"),
        "milione": Noun.of("milione|milioni", "m"),
        "milioni": Noun.of("milione|milioni", "m"),
        "miliardo": Noun.of("miliardo|miliardi", "m"),
        "miliardi": Noun.of("miliardo|miliardi", "m"),
        "mln": Noun.of("milione|milioni", "m"),
        "mld": Noun.of("miliardo|miliardi", "m"),
    },
    scale_signs={"M": "milione", "Mln": "milione", "Mld": "miliardo"},
    money={
        "EUR": Money(Noun.of("euro", "m"), Noun.of("centesimo|centesimi", "m")),
        "USD": Money(Noun.of("dollaro|dollari", "m"), Noun.of("centesimo|centesimi", "m")),
        "GBP": Money(Noun.of("sterlina|sterline", "f"), Noun.of("penny|penny", "m")),
        "CHF": Money(Noun.of("franco svizzero|franchi svizzeri", "m"), Noun.of("centesimo|centesimi", "m")),
        "JPY": Money(Noun.of("yen", "m")),
        "CNY": Money(Noun.of("yuan", "m")),
        "INR": Money(Noun.of("rupia|rupie", "f")),
        "RUB": Money(Noun.of("rublo|rubli", "m"), Noun.of("copeco|copechi", "m")),
        "KRW": Money(Noun.of("won", "m")),
        "BTC": Money(Noun.of("bitcoin", "m")),
    },
    money_joint=" e ",
    units={
        "km/h": "chilometro orario|chilometri orari",
        "kWh": "chilowattora|chilowattora",
        "Mbps": "megabit al secondo|megabit al secondo",
        "Mbit/s": "megabit al secondo|megabit al secondo",
        "t": "tonnellata|tonnellate",
        "dB": "decibel|decibel",
        "cal": "caloria|calorie",
        "sec": "secondo|secondi",
        "mq": "metro quadrato|metri quadrati",
        "kmq": "chilometro quadrato|chilometri quadrati",
        "mc": "metro cubo|metri cubi",
        "CV": "cavallo|cavalli",
        "hg": "etto|etti",
        "kg": "chilo|chili",
    },
    rulers=words_of("""
        Enrico Luigi Carlo Filippo Francesco Napoleone Giovanni Paolo Pio Benedetto Leone Gregorio Clemente Innocenzo Urbano
        Bonifacio Giulio Sisto Emanuele Umberto Amedeo Elisabetta Giorgio Edoardo Riccardo Giacomo Guglielmo Federico Ottone Corrado
        Lotario Rodolfo Massimiliano Ferdinando Alfonso Leopoldo Alberto Nicola Alessandro Caterina Pietro Ivan Maria Margherita
        Beatrice Ramses Ramsete Dario Tolomeo Costantino Teodosio Celestino Martino Eugenio Niccolò Cosimo Ruggero Berengario Ugo
        Baldovino Giuseppe Felipe Anna Giovanna Cristina Callisto Adriano Stefano Gustavo Solimano Maometto Felice Juan Isabella
    """),
    roman_nouns=(
        "[Ss]ecol[oi]|[Ss]ecoli (?:[IVXLC]+(?:,| e) )*[IVXLC]+(?:,| e)|[Cc]apitol[oi]|[Tt]omo|[Ll]ibro|[Aa]tto|[Ss]cena|"
        "[Pp]arte|[Cc]anto|[Vv]olume|[Tt]ipo|[Ff]igura|[Tt]avola|[Ll]ivello|[Ff]ase|[Cc]lasse"
    ),
    centuries=(
        "(?:e [IVXLC]+ )?[Ss]ecolo|[Gg]uerra|[Rr]epubblica|Reich|[Dd]inastia|[Ee]dizione|[Ii]mpero|[Cc]ongresso|[Mm]unicipio|"
        "[Ll]egislatura|[Dd]ivisione|[Cc]entenario"
    ),
)
