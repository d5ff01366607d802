"""What numbers need to know of Portuguese words."""

from dataclasses import replace

from studio.reading.numbers.romance.genders import Genders, capitalized_too, words_of
from studio.reading.numbers.wording import Money, Noun, NumberWords, months_of

__all__ = ["BRAZILIAN", "CLOSERS", "EUROPEAN", "GENDERS", "LABELS"]

GENDERS = Genders(
    masculine=words_of("""
        restaurante restaurantes exemplar exemplares lugar lugares celular celulares par pares juiz juízes item itens jovem jovens
        cupom cupons bombom bombons presidente presidentes jogador mar mares andar andares paquete debate debates combate golpe
        golpes bosque parque parques tanque tanques bloco cheque cheques índice traje dente sangue dia dias problema problemas
        sistema sistemas programa programas tema temas mapa mapas planeta planetas idioma idiomas poeta poetas clima climas drama
        dramas poema poemas grama gramas quilograma quilogramas miligrama miligramas micrograma microgramas telegrama diagrama
        diagramas esquema mês meses país países trem trens homem homens nome nomes cliente clientes gol gols golo milhão milhões
        bilhão bilhões mil café cafés bebê bebês bebé dentes pé pés filme filmes leite peixe peixes hectare hectares byte bytes
        gigabyte bit bits euro euros avião aviões cão cães pão pães leão leões botão botões cartão cartões caminhão caminhões
        coração corações irmão irmãos grão grãos órgão órgãos real reais yen won yuan bitcoin habitante habitantes estudante
        estudantes visitante visitantes elefante acidente acidentes paciente pacientes ponto pixel pixels píxel píxeis bar bares
        lápis ônibus autocarro iene ienes time times kelvin grau graus
    """),
    feminine=words_of("""
        colher colheres nave naves questão questões sugestão sugestões gestão gestões multidão multidões solidão origem origens
        vantagem chave clave claves febre febres tosse fome serpente serpentes corrente correntes mente mentes mão mãos revista
        revistas pista pistas lista listas vista vistas entrevista entrevistas conquista conquistas avista crista cristas gema gemas
        foto fotos moto motos vez vezes noite noites tarde tardes parte partes classe classes mulher mulheres flor flores lei leis
        luz luzes voz vozes chaves torre torres frase frases base bases fonte fontes gente morte mortes sorte rede redes parede
        paredes crise crises tese teses neve carne série séries espécie espécies fase fases cruz cruzes raiz raízes atriz ordem
        ordens sede sedes tribo tribos nuvem nuvens imagem imagens viagem viagens mensagem mensagens página páginas garagem margem
        dose doses ponte pontes árvore árvores maçã maçãs irmã irmãs manhã manhãs razão razões região regiões opinião opiniões união
        reunião reuniões religião cor cores dor dores capital capitais cidade mãe mães
    """),
    masculine_endings=words_of("""
        ar ares ons ões ante antes o os or ores al ais el éis il is ês eses ema emas ista istas ento entos um uns
    """),
    feminine_endings=words_of("""
        gião giões nião niões zão zões a as ção ções são sões dade dades tude tudes agem agens gem gens triz trizes ice ices ã ãs
    """),
    both=words_of("""
        guia guias polícia guarda guardas artista artistas turista turistas jornalista atleta atletas capital capitais
    """),
)
CLOSERS = words_of("""
    a à às ao aos ante as até com contra da das de desde do dos e é em entre era eram foi foram há já mais mas menos na nas nem no
    nos não o os ou para pela pelo por porque que se sem são sob sobre um uma vai vão está estão quando como
""")
LABELS = (
    "[Pp]áginas?|[Cc]apítulos?|[Nn]úmeros?|[Aa]rtigos?|[Nn]ível|[Tt]omo|[Vv]olume|[Pp]arte|[Cc]ena|[Aa]to|[Ll]inha|"
    "[Qq]uarto|[Ss]ala|[Ôô]nibus|[Aa]utocarro|[Vv]ia|[Ee]tapa|[Ee]pisódio|[Tt]emporada|[Tt]op|[Tt]ipo|[Ff]igura|[Tt]abela|"
    r"[Ll]ote|[Pp]orta|[Nn]º|[Nn]\.º|[Pp]ág\.|[Gg]rupo|[Aa]ndar|[Ff]ase|[Cc]lasse"
)

_MIL, _MILLION = Noun.of("mil", "m"), Noun.of("milhão|milhões", "m")
_THOUSAND_MILLIONS, _BRAZILIAN_BILLION = Noun.of("mil milhões", "m"), Noun.of("bilhão|bilhões", "m")
_SCALES = {
    "mil": _MIL,
    "milhão": _MILLION,
    "milhões": _MILLION,
    "mil milhões": _THOUSAND_MILLIONS,
    "bilhão": _BRAZILIAN_BILLION,
    "bilhões": _BRAZILIAN_BILLION,
}
_SCALES |= {name: Noun.of("trilhão|trilhões", "m") for name in ("trilhão", "trilhões")}
_SCALES |= {name: Noun.of("bilião|biliões", "m") for name in ("bilião", "biliões")}
_CENTAVO, _CENTIMO = Noun.of("centavo|centavos", "m"), Noun.of("cêntimo|cêntimos", "m")
BRAZILIAN = NumberWords(
    minus="menos",
    plus="mais",
    point="vírgula",
    version="versão",
    dot="ponto",
    percent="por cento",
    permille="por mil",
    to="a",
    ratio="por",
    by="por",
    per="por",
    about="cerca de",
    signs={
        "+": "mais",
        "-": "menos",
        "−": "menos",
        "=": "igual a",
        "×": "vezes",
        "*": "vezes",
        "·": "vezes",
        "÷": "dividido por",
        "/": "dividido por",
        "±": "mais ou menos",
        "<": "menor que",
        ">": "maior que",
        "≤": "menor ou igual a",
        "≥": "maior ou igual a",
        "≈": "aproximadamente igual a",
        "≠": "diferente de",
    },
    power={"2": "ao quadrado", "3": "ao cubo", "n": "elevado a"},
    and_fraction=" e ",
    with_number=capitalized_too(
        {
            "№": "número",
            "n.º": "número",
            "nº": "número",
            "n°": "número",
            "núm.": "número",
            "No.": "número",
            "pág.": "página",
            "págs.": "páginas",
            "p.": "página",
            "cap.": "capítulo",
            "art.": "artigo",
            "vol.": "volume",
            "fig.": "figura",
            "§": "parágrafo",
        }
    ),
    months=months_of("jan.|jan fev.|fev mar. abr.|abr mai.|mai jun.|jun jul.|jul ago.|ago set. out. nov.|nov dez.|dez"),
    scales=_SCALES,
    scale_signs={"k": "mil", "K": "mil", "M": "milhão", "mi": "milhão", "bi": "bilhão"},
    money={
        "BRL": Money(Noun.of("real|reais", "m"), _CENTAVO),
        "EUR": Money(Noun.of("euro|euros", "m"), _CENTAVO),
        "USD": Money(Noun.of("dólar|dólares", "m"), _CENTAVO),
        "GBP": Money(Noun.of("libra|libras", "f"), Noun.of("pêni|pence", "m")),
        "CHF": Money(Noun.of("franco suíço|francos suíços", "m"), _CENTAVO),
        "JPY": Money(Noun.of("iene|ienes", "m")),
        "CNY": Money(Noun.of("yuan|yuans", "m")),
        "INR": Money(Noun.of("rupia|rupias", "f")),
        "RUB": Money(Noun.of("rublo|rublos", "m"), Noun.of("copeque|copeques", "m")),
        "KRW": Money(Noun.of("won|wons", "m")),
        "BTC": Money(Noun.of("bitcoin|bitcoins", "m")),
        "AOA": Money(Noun.of("kwanza|kwanzas", "m")),
    },
    money_signs={"R$": "BRL", "US$": "USD"},
    money_joint=" e ",
    units={
        "kWh": "quilowatt-hora|quilowatts-hora",
        "Mbps": "megabit por segundo|megabits por segundo",
        "t": "tonelada|toneladas",
        "dB": "decibel|decibéis",
        "cal": "caloria|calorias",
        "seg": "segundo|segundos",
        "hab./km²": "habitante por quilômetro quadrado|habitantes por quilômetro quadrado",
    },
    rulers=words_of("""
        João Pedro Manuel Afonso Sancho Dinis Fernando Duarte Filipe José Maria Miguel Luís Carlos Henrique Francisco Napoleão
        Guilherme Jorge Eduardo Ricardo Jaime Frederico Leopoldo Alberto Nicolau Alexandre Catarina Isabel Elizabeth Paulo Bento
        Pio Leão Gregório Clemente Inocêncio Urbano Bonifácio Júlio Sisto Margarida Beatriz Felipe Ramsés Dario Ptolomeu
        Constantino Ivan Teodósio Rodolfo Otão Sebastião Alfonso Celestino Balduíno Gustavo Adriano Martinho Eugénio Eugênio
        Estêvão Solimão Humberto Amadeu Leonor Joana Ana
    """),
    roman_nouns=(
        r"[Ss]éculos?|[Ss]éculos (?:[IVXLC]+(?:,| e| ao?) )*[IVXLC]+(?:,| e| ao?)|[Ss]éc\.|[Cc]apítulos?|[Tt]omos?|[Aa]tos?|"
        "[Aa]ctos?|[Ll]ivros?|[Cc]enas?|[Vv]olumes?|[Pp]artes?|[Aa]rtigos?|[Aa]nexos?|[Ss]eção|[Ss]ecção|[Tt]ítulos?|[Cc]lasse|"
        "[Tt]ipos?|[Ff]ases?|[Nn]ível|[Ll]ição|[Ff]iguras?|[Ss]almos?|[Cc]antos?|Vaticano|[Tt]emporada|[Ee]pisódio|[Cc]ategoria"
    ),
    centuries=(
        "Guerra|República|Reich|[Dd]inastia|[Ee]dição|Império|[Cc]ongresso|[Ff]estival|[Cc]oncurso|[Ee]ncontro|[Cc]úpula|"
        "[Cc]imeira|[Ff]eira|[Cc]onferência"
    ),
)
EUROPEAN = replace(
    BRAZILIAN,
    money=BRAZILIAN.money
    | {
        "EUR": Money(Noun.of("euro|euros", "m"), _CENTIMO),
        "CHF": Money(Noun.of("franco suíço|francos suíços", "m"), _CENTIMO),
        "USD": Money(Noun.of("dólar|dólares", "m"), _CENTIMO),
        "GBP": Money(Noun.of("libra|libras", "f"), Noun.of("péni|pence", "m")),
    },
    units=BRAZILIAN.units | {"hab./km²": "habitante por quilómetro quadrado|habitantes por quilómetro quadrado"},
)
