"""What a full stop may belong to: words that it shortens, by language, and words that begin a sentence behind one. Tables alone.

No text names its language: what is listed in one language counts in all. So no word is here that ends sentences in another. A word in small
letters also stands for the one that is capitalized; one with a capital for itself alone.
"""

__all__ = [
    "BEFORE_NAMES", "BEFORE_NUMBERS", "BEHIND_NUMBERS", "CHAINS", "CLOSING_WORDS", "COUNTED", "IN_CAPITALS", "SPEECH_WORDS", "STARTERS",
]  # fmt: skip


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


# The sentence goes on whatever follows: titles, and what joins two words.
BEFORE_NAMES = _words(
    "mr mrs ms mx messrs dr prof mt ft vs ie eg cf al gen col sgt capt lt cmdr adm maj rev hon approx gov sen Pres Supt Bros",  # en
    "hr fr bzw evtl ggf ca inkl exkl einschl zzgl vgl sog geb hrsg dipl",
    "bzgl insb urspr österr röm kath stellv ehem gest med phil jur rer Skt",  # de
    "sra sras srta sres dra dña Lic Ing Arq Gral Cnel Tte Sto Sta Mons Avda Cra Hno Hnos ej",  # es
    "av mme mmes mlle mlles mgr MM",  # fr
    "sig sigg dott avv ssa Geom Rag Gent egr spett Dir Amm psicol",  # it
    "exmo exma profa Eng",  # pt
    "dhr mevr drs bijv nl resp",  # nl
    "им ул пл просп пер наб проф акад доц св тов гр напр см обл пгт пос респ вул див ім",  # ru, uk
    "mgr inż hab ul św np tzn tzw tj płk zob",  # pl
    "tzv např napr MUDr esim örn Sn Doç dvs eks jfr",  # cs, fi, tr, da, nb, sv
    "δηλ βλ κα",  # el
    "डॉ प्रो पं मो श्री स्व कु ড মো திரு",  # hi, bn, ta
    "ดร รศ ผศ นพ พญ",  # th
    "ThS PGS TS GS Jl",  # vi, id
)
# Of two letters and more with a full stop behind each ("z. B."), without blanks and full stops, in small letters.
CHAINS = _words("eg ie zb dh mwn uva idr sog pex pej ades tex оа те тк тн тзв πχ dwz oa ipv bla sk fom td")
# A sentence may end behind these; it surely does before one of STARTERS.
CLOSING_WORDS = _words(
    "jr sr etc inc ltd co corp dept st ave blvd rd est llc plc gmbh ph",  # en
    "usw str std mio mrd tsd jh jhd chr min max gegr aufl bsp abt",  # de
    "ud uds vd vds EE UU cía ltda hab aprox",  # es, pt
    "ecc",  # it
    "enz",  # nl
    "гг вв др руб коп тыс чел мин сек час стр грн",  # ru, uk
    "itd itp godz tys",  # pl
    "atd apod osv vb jne ym dll dsb stb κλπ κτλ",  # cs, da, nb, sv, tr, fi, id, hu, el
)
# The sentence goes on where a number follows: "No. 5", "Sept. 3", "vol. IV".
BEFORE_NUMBERS = _words(
    "no nos nr nrs vol vols fig figs ch chap cap sec sect pp pág págs pag núm núms art arts abs abb tab kap tel ext ed bd bde op pt ver",
    "párr párrf apt vers blz kl ok str odst č гл рис кв корп стр ст табл тел пп nº Nº",
    "jan feb mar apr jun jul aug sep sept oct okt nov dec dez janv févr avr juill août déc ene abr dic giu ott Gen Mag Lug Set Ago fev abr",
    "янв фев мар апр июн июл авг сент окт нояб дек mon tue tues wed thu thur thurs fri lun mié jue vie",
)
# What a small number with a full stop counts in German: "3. Mai", "1. Platz".
COUNTED = _words(
    "Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember Jahrhundert Jahrhunderts",
    "Platz Liga Bundesliga Klasse Stock Etage Auflage Runde Halbzeit Spieltag Weltkrieg Weltkriegs FC Teil Kapitel Preis",
)
# One letter of these behind a number may end a sentence: "2020 г.", "5 m."
BEHIND_NUMBERS = _words("г в р w m g h l s t C F K x")
# Written in capitals they are abbreviations all the same. Of the others none is: "MADE IN CA. THE".
IN_CAPITALS = _words("MR MRS MS DR PROF ST JR SR NO NR VS INC LTD CO CORP EE UU MM TEL VOL FIG ETC USW")
# Words that begin a sentence, and hardly a name: a stop before one of them ends what an abbreviation stands in.
STARTERS = _words(
    "The This That These Those There Then They He She It We You I His Her Their Our My Your But And So If When While What Who How Why",
    "Where Now Not Yes In On At As For From After Before Because Although However Here Please Let Is Are Was Were Do Does Did Can Could",
    "Would Also Both Each Some Most Many Another One Once Since With By Its No",  # en
    "Der Die Das Den Dem Ein Eine Einen Er Sie Es Wir Ich Ihr Und Aber Doch Dann Wenn Als Nach Bei Mit Für Auch Nun Jetzt Was Wer Wie Wo",
    "Warum Dies Diese Dieser Dieses Dabei Dort Hier Heute Seit Zum Zur Im Am Auf Ab Bis Da Damit Danach Ja Nein Nicht Seine Ihre",  # de
    "El La Los Las Un Una Unos Pero Y Ella Ellos Ellas Él Esta Este Esto Estos Estas Eso Como Cuando Con Por Para En Se No Si Sí",
    "Después Luego También Además Su Sus Entonces Ahora Hay Algunos Algunas Muchos Yo",  # es
    "Le Les L Une Et Mais Il Ils Elle Elles Je Nous Vous On Ce Cette Ces C Dans Pour Avec Puis Alors Quand Après Ainsi Son Sa Ses Voilà",
    "Lo Gli Ma Poi Lui Lei Noi Questo Questa Nel Nella Quando Dopo Anche Ora Non Sono",  # fr, it
    "O Os As Um Uma Mas Ele Ela Eles Elas Nós Isso Isto Esse Essa Depois Então Não Também Na Nas Nos Quando",  # pt
    "De Het Een Maar Hij Zij Ze Wij Ik Dit Dat Daarna Toen Ook Nu Waarom Hoe Na Bij",  # nl
    "Он Она Оно Они Мы Вы Ты Я Это Эта Этот Но И А В На С По Из За К У О Потом Затем Когда Если Что Кто Как Где Там Тогда Так Его Её Их Не",
    "Вот Да Нет После Для До При",  # ru
    "Ona Oni My Wy Ja To Ten Ta Ale W Z Po Na Potem Kiedy Gdy Jeśli Co Kto Jak Tak Nie Następnie",  # pl
    "Det Den Han Hun Hon Jeg Jag Vi Du Og Och Men Så Når När Hvad Hvem I På Der Här",  # da, nb, sv
    "Sonra Ama Ve Bu Şu Ben Biz Onlar Pak Ale Jsem Je Byl Sitten Mutta Se Hän Ja Aztán De És Ez Az",  # tr, cs, fi, hu
)
# What follows the quoted words of a Korean sentence and belongs to it.
SPEECH_WORDS = ("라고", "라며", "라는", "이라고", "하고", "하며")
