"""What numbers need to know of Spanish words."""

from studio.reading.numbers.romance.genders import Genders, capitalized_too, words_of
from studio.reading.numbers.wording import Money, Noun, NumberWords, months_of

__all__ = ["CLOSERS", "GENDERS", "LABELS", "WORDS"]

GENDERS = Genders(
    masculine=words_of("""
        pijama pijamas reloj relojes lápices rey reyes rehén rehenes cantante cantantes inmigrante inmigrantes restaurante
        restaurantes quilate quilates manifestante manifestantes jefe jefes héroe héroes disparate disparates debate debates combate
        combates empate paquete paquetes golpe golpes bosque bosques buque buques parque parques tanque tanques bloque bloques
        cheque cheques índice índices ángel corte cortes pase pases baile bailes traje trajes desastre desastres nacimiento
        cumpleaños jersey día días problema problemas sistema sistemas programa programas tema temas mapa mapas planeta planetas
        idioma idiomas poeta poetas clima climas drama dramas poema poemas teorema teoremas diagrama diagramas telegrama telegramas
        crucigramas fantasma fantasmas dogma dogmas lema lemas esquema esquemas sofá sofás papa papas euro mes meses país países
        tren trenes hombre hombres coche coches nombre nombres viaje viajes mensaje mensajes billete billetes cliente clientes gol
        goles mil millón millones billón billones lápiz juez jueces pez peces pie pies café cafés bebé bebés club clubs clubes film
        álbum bit bits gigabit byte bytes gigabyte gigabytes terabyte megabyte kilobyte píxel píxeles watt grado valle valles puente
        puentes aceite diente dientes presidente presidentes accidente accidentes paciente pacientes asistente asistentes
        participante participantes visitante visitantes habitante habitantes estudiante estudiantes elefante elefantes yen yenes won
        yuan yuanes bitcoin bitcoins móvil móviles árbol árboles animal animales hospital dólares dálmatas bares bar pascal pascales
        minibús autobús autobuses interés tomate tomates
    """),
    feminine=words_of("""
        virgen vírgenes nariz narices cicatriz cicatrices perdiz codorniz costumbre lumbre legumbre legumbres sierpe tos sed pared
        hélice índole nieve clave claves nave sangre hambre base fiebre fiebres liebre liebres torre variante variantes patente
        patentes corriente corrientes mente mentes serpiente serpientes mano manos foto fotos moto motos radio revista revistas
        pista pistas lista listas vista vistas entrevista entrevistas conquista conquistas autopista autopistas crema cremas yema
        yemas gema gemas diadema postal postales vocal vocales central centrales terminal terminales credencial credenciales
        cuestión cuestiones gestión gestiones vez veces noche noches tarde tardes parte partes clase clases calle calles mujer
        mujeres flor flores ley leyes luz luces voz voces imagen imágenes naves llave llaves torres frase frases bases fuente
        fuentes gente muerte muertes suerte red redes paredes crisis tesis señal señales cárcel cárceles sal sales nube nubes leche
        carne serie series especie especies superficie fase fases mil-libras cruz cruces raíz raíces actriz actrices orden órdenes
        sede sedes sílaba dosis hectárea razón razones canción canciones región regiones opinión unión reunión reuniones labor
        labores piel pieles miel catedral catedrales sucursal sucursales
    """),
    masculine_endings=words_of("""
        ante antes yes o os or ores aje ajes al ales il iles el eles ar ares ón ones ín ines án anes én és eses ete etes ote otes
        miento mientos ema emas grama gramas ú ista istas uz
    """),
    feminine_endings=words_of("""
        a as ción ciones sión siones xión xiones dad dades tad tades tud tudes umbre umbres triz trices gión giones nión niones eza
        ie
    """),
    both=words_of("""
        guía guías capital capitales frente frentes orden cura cometa radio policía policías guardia guardias periodista artista
        turista atleta águila agua área arma aula hambre alma hacha ave
    """),
)
CLOSERS = words_of("""
    a al ante bajo con contra de del desde e el la los las en entre es era eran fue fueron son ha han hay hasta lo más menos
    mientras ni no o para pero por porque que se según si sin sobre su sus tras u un una y ya va van está están cuando como
""")
LABELS = (
    "[Pp]áginas?|[Cc]apítulos?|[Nn]úmeros?|[Aa]rtículos?|[Nn]ivel|[Tt]omo|[Vv]olumen|[Pp]arte|[Ee]scena|[Aa]cto|[Ll]ínea|"
    "[Hh]abitación|[Ss]ala|[Aa]utobús|[Vv]ía|[Aa]ndén|[Ee]tapa|[Ee]pisodio|[Tt]emporada|[Tt]op|[Tt]ipo|[Ff]igura|[Tt]abla|"
    r"[Ll]ote|[Pp]uerta|[Rr]uta|[Nn]º|[Nn]\.º|[Nn]úm\.|[Pp]ág\.|[Pp]iso|[Gg]rupo"
)
WORDS = NumberWords(
    minus="menos",
    plus="más",
    point="coma",
    version="versión",
    dot="punto",
    percent="por ciento",
    permille="por mil",
    to="a",
    ratio="a",
    by="por",
    per="por",
    about="aproximadamente",
    signs={
        "+": "más",
        "-": "menos",
        "−": "menos",
        "=": "igual a",
        "×": "por",
        "*": "por",
        "·": "por",
        "÷": "dividido entre",
        "/": "dividido entre",
        "±": "más menos",
        "<": "menor que",
        ">": "mayor que",
        "≤": "menor o igual que",
        "≥": "mayor o igual que",
        "≈": "aproximadamente igual a",
        "≠": "distinto de",
    },
    power={"2": "al cuadrado", "3": "al cubo", "n": "elevado a"},
    and_fraction=" y ",
    with_number=capitalized_too(
        {
            "№": "número",
            "núm.": "número",
            "n.º": "número",
            "nº": "número",
            "n°": "número",
            "No.": "número",
            "nro.": "número",
            "n.os": "números",
            "pág.": "página",
            "págs.": "páginas",
            "p.": "página",
            "cap.": "capítulo",
            "art.": "artículo",
            "vol.": "volumen",
            "fig.": "figura",
            "§": "párrafo",
        }
    ),
    months=months_of("ene.|ene feb.|feb - abr.|abr - - - ago.|ago sept.|sept|sep.|sep|setiembre oct.|oct nov.|nov dic.|dic"),
    scales={
        "mil": Noun.of("mil", "m"),
        "millón": Noun.of("millón|millones", "m"),
        "millones": Noun.of("millón|millones", "m"),
        "mil millones": Noun.of("mil millones", "m"),
        "billón": Noun.of("billón|billones", "m"),
        "billones": Noun.of("billón|billones", "m"),
        "mill.": Noun.of("millón|millones", "m"),
        "mdd": Noun.of("millón|millones", "m"),
    },
    scale_signs={"k": "mil", "K": "mil", "M": "millón", "MM": "millón"},
    money={
        "EUR": Money(Noun.of("euro|euros", "m"), Noun.of("céntimo|céntimos", "m")),
        "USD": Money(Noun.of("dólar|dólares", "m"), Noun.of("centavo|centavos", "m")),
        "MXN": Money(Noun.of("peso mexicano|pesos mexicanos", "m"), Noun.of("centavo|centavos", "m")),
        "ARS": Money(Noun.of("peso argentino|pesos argentinos", "m"), Noun.of("centavo|centavos", "m")),
        "COP": Money(Noun.of("peso colombiano|pesos colombianos", "m"), Noun.of("centavo|centavos", "m")),
        "CLP": Money(Noun.of("peso chileno|pesos chilenos", "m")),
        "PEN": Money(Noun.of("sol|soles", "m"), Noun.of("céntimo|céntimos", "m")),
        "GBP": Money(Noun.of("libra|libras", "f"), Noun.of("penique|peniques", "m")),
        "CHF": Money(Noun.of("franco suizo|francos suizos", "m"), Noun.of("céntimo|céntimos", "m")),
        "JPY": Money(Noun.of("yen|yenes", "m")),
        "CNY": Money(Noun.of("yuan|yuanes", "m")),
        "INR": Money(Noun.of("rupia|rupias", "f")),
        "RUB": Money(Noun.of("rublo|rublos", "m"), Noun.of("kopek|kopeks", "m")),
        "KRW": Money(Noun.of("won|wones", "m")),
        "BRL": Money(Noun.of("real|reales", "m"), Noun.of("centavo|centavos", "m")),
        "BTC": Money(Noun.of("bitcoin|bitcoins", "m")),
    },
    money_signs={"US$": "USD", "U$S": "USD", "USD$": "USD", "S/": "PEN", "MX$": "MXN", "R$": "BRL"},
    money_joint=" con ",
    units={
        "kWh": "kilovatio hora|kilovatios hora",
        "Mbps": "megabit por segundo|megabits por segundo",
        "Gbps": "gigabit por segundo|gigabits por segundo",
        "MB/s": "megabyte por segundo|megabytes por segundo",
        "t": "tonelada|toneladas",
        "dB": "decibelio|decibelios",
        "cal": "caloría|calorías",
        "seg": "segundo|segundos",
        "hrs": "hora|horas",
        "mg/l": "miligramo por litro|miligramos por litro",
        "g/l": "gramo por litro|gramos por litro",
        "CV": "caballo|caballos",
        "hab./km²": "habitante por kilómetro cuadrado|habitantes por kilómetro cuadrado",
    },
    rulers=words_of("""
        Felipe Carlos Fernando Alfonso Isabel Juana Enrique Pedro Sancho Jaime Ramiro Ordoño García Luis Francisco Napoleón
        Guillermo Jorge Eduardo Ricardo Jacobo Federico Maximiliano Leopoldo Alberto Nicolás Catalina Alejandro Pablo Juan Benedicto
        Pío León Gregorio Clemente Inocencio Urbano Bonifacio Julio Sixto Manuel Humberto Amadeo José Ramsés Darío Ptolomeo
        Constantino Teodosio Iván Gustavo Cristián Haakon Harald Óscar María Ana Margarita Beatriz Elizabeth Cristina Urraca Bermudo
        Balduino Rodolfo Otón Conrado Lotario Mohamed Hassan Mehmed Solimán Selim Celestino Calixto Adriano Martín Eugenio Esteban
        Ludovico Abderramán Alhakén Rainiero
    """),
    roman_nouns=(
        r"[Ss]iglos?|[Ss]iglos (?:[IVXLC]+(?:,| y| al?) )*[IVXLC]+(?:,| y| al?)|[Ss]\.|[Cc]apítulos?|[Tt]omos?|[Aa]ctos?|"
        "[Ll]ibros?|[Ee]scenas?|[Vv]olumen|[Vv]olúmenes|[Pp]artes?|[Aa]rtículos?|[Aa]nexos?|[Ss]ección|[Tt]ítulos?|[Cc]lase|"
        "[Tt]ipos?|[Ff]ases?|[Nn]ivel|[Ll]ección|[Ff]iguras?|[Ll]áminas?|[Ss]almos?|[Cc]antos?|Vaticano|[Tt]emporada|"
        "[Ee]pisodio|[Cc]ategoría"
    ),
    centuries=(
        "Guerra|República|Reich|[Dd]inastía|[Ee]dición|Imperio|[Cc]ongreso|[Ff]estival|[Cc]oncurso|[Jj]ornadas|[Cc]umbre|"
        "[Ff]eria|[Cc]onferencia|[Cc]entenario|[Aa]niversario"
    ),
)
