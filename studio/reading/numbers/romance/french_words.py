"""What numbers need to know of French words."""

from studio.reading.numbers.romance.genders import Genders, capitalized_too, words_of
from studio.reading.numbers.wording import Money, Noun, NumberWords, months_of

__all__ = ["CLOSERS", "GENDERS", "LABELS", "WORDS"]

GENDERS = Genders(
    masculine=words_of("""
        poisson poissons député députés comité comités côté côtés été étés pâté pâtés traité traités comté bar bars vote votes stylo
        stylos jeu jeux feu feux lieu lieux cheveu cheveux caractère caractères paragraphe paragraphes vélo vélos frère frères père
        pères mystère mystères cratère concert concerts spectacle spectacles épisode épisodes pont ponts métro hectare restaurant
        gâteau passage congé congés marché marchés café cafés degré carré carrés résumé territoire territoires laboratoire
        laboratoires observatoire répertoire répertoires interrogatoire pourboire pourboires accessoire accessoires réfectoire
        conservatoire conservatoires satellite satellites manteau moustique moustiques dialogue dialogues trésor trésors code codes
        mètre modèle modèles exemple exemples centre centres litre contrat nombre signe signes signal an ans mois jour jours siècle
        siècles homme hommes enfant enfants élève élèves livre ouvrage euro euros dollar dollars franc francs centime centimes
        degrés mètres kilomètre kilomètres pays point points but buts match matchs membre membres numéro numéros poste postes
        exemplaire exemplaires article articles chapitre chapitres titre titres tome tomes volume volumes album albums film films
        département départements kilo kilos gramme grammes litres musée musées lycée lycées trophée trophées mausolée squelette
        squelettes stade stades grade grades silence silences murmure domaine domaines capitaine capitaines cimetière cimetières
        incendie incendies génie génies parapluie parapluies personnage personnages village villages avion avions camion camions
        million millions milliard milliards bébé bébés chien chiens chat chats cheval chevaux oiseau oiseaux arbre arbres kiosque
        siège sièges lit lits mot mots cas corps temps bus train trains vol vols repas verre verres oeuf oeufs œuf œufs fruit fruits
        légume légumes arrondissement étage étages groupe groupes joueur joueurs coureur coureurs électeur électeurs lecteur
        lecteurs auteur auteurs ordinateur ordinateurs moteur moteurs secteur secteurs facteur facteurs utilisateur utilisateurs
        travailleur travailleurs visiteur visiteurs spectateur spectateurs serveur serveurs morceau ami amis mort morts blessé
        blessés tour tours mode modes hectares octet octets problème problèmes système systèmes site sites programme programmes
        téléphone véhicule véhicules nouveau nouveaux petit petits grand grands seul autre bon bons gros
    """),
    feminine=words_of("""
        nuit nuits réponse réponses moto motos espèce espèces croix noix base bases orange oranges pizza pizzas crêpe crêpes loi
        lois foi boisson boissons moisson cuisson colère misère rivière méthode méthodes période périodes réforme fusée fourchette
        douche poche bouche langue bougie barre barres caisse caisses course courses bourse adresse messe pièce lampe jupe jupes
        écharpe écharpes veste vestes bague bagues clinique cliniques boutique boutiques fabrique fabriques musique musiques
        technique techniques république républiques brique briques molécule molécules cellule cellules formule formules pilule
        pilules virgule banane bananes cabane cabanes œuvre œuvres manœuvre note notes affaire affaires paire paires crème crèmes
        coupe coupes soupe soupes troupe troupes attaque attaques plaque plaques piste pistes cravate cravates date dates tarte
        tartes porte goutte gouttes minute corde cordes planche planches chanteuse vague vagues bombe zone zones cigarette cave
        caves rose roses chose choses cause causes phrase pause pauses recette recettes histoire gare gares guerre guerres pierre
        pierres terre terres bière lumière preuve preuves fève olive olives rive rives lame lames rame rames larme larmes ferme
        fermes forme formes norme normes somme sommes tonne plume plumes heure heures minutes seconde secondes page pages image
        images plage plages nage cage cages fois femme femmes fille filles personne personnes table tables chaise chaises affiche
        affiches maison maisons raison raisons saison saisons chanson chansons leçon leçons façon façons voiture voitures ville
        villes rue rues route routes livraison livraisons boîte boîtes bouteille bouteilles tasse tasses cuillère cuillères
        cuillerée gousse gousses tranche tranches feuille feuilles fleur fleurs couleur couleurs valeur valeurs lettre lettres ligne
        lignes phrases question questions main mains fin fins eau peau peaux voix fenêtre fenêtres portes clé clés clef clefs école
        écoles équipe équipes entreprise entreprises île îles langues semaine semaines tonnes livre-sterling once onces calorie
        calories kilocalorie kilocalories place places pièces chambre chambres marche marches étape étapes épreuve épreuves victime
        victimes tortue tortues vache vaches poule poules chèvre brebis souris banque banques balle balles étoile étoiles star stars
        photo photos vidéo vidéos radio mère mères sœur sœurs dame dames reine reines région régions commune communes province
        provinces usine usines machine machines tête têtes dent dents jambe jambes oreille oreilles arme armes bombes mine mines
        partie parties série séries vie vies copie copies baguette pomme pommes poire poires tomate tomates carotte carottes
        nouvelle nouvelles petite petites grande grandes bonne bonnes grosse grosses seule première dernière dernières voie voies
        carte cartes liste listes offre offres source sources règle règles étude études montre montres bières lampes robe robes
        pinte pintes douzaine dizaine centaine amende plainte plaintes
    """),
    masculine_endings=words_of("""
        cteur cteurs ateur ateurs iteur iteurs acle acles ert erts ont onts o os aire aires iste istes phone phones gramme grammes
        mètre mètres age ages ment ments eau eaux al aux isme ismes oir oirs ier iers ard ards et ets at ats ent ents ant ants ien
        iens ot ots teau in ins on ons ème èmes ail euil eil il ils el els us um é és er ers ois ais
    """),
    feminine_endings=words_of("""
        nion nions gion gions tion tions sion sions té tés ée ées ette ettes esse esses euse euses trice trices ance ances ence
        ences ure ures ade ades ise ises aine aines ude udes aille ailles ouille ouilles ière ières ienne iennes ie ies son sons
        elle elles enne ennes onne onnes ante antes ente entes ille illes ine ines oire oires asse asses otte ottes ite ites uche
        ouche eille eilles ose oses ace aces che ches
    """),
    both=words_of("livre livres tour mode poste voile manche autre autres élève ministre juge chiffre"),
)
CLOSERS = words_of("""
    à au aux avec car chez dans de des du d' en est et hors il elle la le les l' lors mais ne n' ni non on ont or ou où par pas pour
    puis qu' que qui sans se s' sera si sont sous sur un une vers soit fait font était étaient a ans-là plus moins contre depuis
    pendant entre comme rue avenue boulevard allée chemin impasse quai bis ter
""")
LABELS = (
    "[Pp]ages?|[Cc]hapitres?|[Nn]uméros?|[Aa]rticles?|[Nn]iveau|[Tt]ome|[Vv]olume|[Pp]artie|[Ss]cène|[Aa]cte|[Ll]igne|"
    "[Cc]hambre|[Ss]alle|[Bb]us|[Tt]ram|[Vv]oie|[Qq]uai|[Éé]tape|[Éé]pisode|[Ss]aison|[Tt]op|[Tt]ype|[Ff]igure|[Tt]ableau|"
    r"[Ll]ot|[Pp]orte|[Rr]oute|[Nn]°|[Pp]\."
)
WORDS = NumberWords(
    minus="moins",
    plus="plus",
    point="virgule",
    version="version",
    dot="point",
    percent="pour cent",
    permille="pour mille",
    to="à",
    ratio="sur",
    by="par",
    per="par",
    about="à peu près",
    signs={
        "+": "plus",
        "-": "moins",
        "−": "moins",
        "=": "égale",
        "×": "fois",
        "*": "fois",
        "÷": "divisé par",
        "/": "divisé par",
        "±": "plus ou moins",
        "<": "inférieur à",
        ">": "supérieur à",
        "≤": "inférieur ou égal à",
        "≥": "supérieur ou égal à",
        "≈": "à peu près égal à",
        "≠": "différent de",
    },
    power={"2": "au carré", "3": "au cube", "n": "puissance"},
    fixed={"4x4": "quatre quatre", "4×4": "quatre quatre"},
    and_fraction=" et ",
    with_number=capitalized_too(
        {
            "№": "numéro",
            "n°": "numéro",
            "nº": "numéro",
            "no": "numéro",
            "n°s": "numéros",
            "p.": "page",
            "pp.": "pages",
            "chap.": "chapitre",
            "art.": "article",
            "vol.": "volume",
            "fig.": "figure",
            "§": "paragraphe",
        }
    ),
    months=months_of(
        "janv.|janv févr.|févr|fév.|fév|fevrier - avr.|avr - - juil.|juil août.|aout sept.|sept oct.|oct nov.|nov déc.|déc|decembre"
    ),
    scales={
        "mille": Noun.of("mille", "m"),
        "million": Noun.of("million|millions", "m"),
        "millions": Noun.of("million|millions", "m"),
        "milliard": Noun.of("milliard|milliards", "m"),
        "milliards": Noun.of("milliard|milliards", "m"),
        "billion": Noun.of("billion|billions", "m"),
        "billions": Noun.of("billion|billions", "m"),
        "mio": Noun.of("million|millions", "m"),
        "Mio": Noun.of("million|millions", "m"),
        "mrd": Noun.of("milliard|milliards", "m"),
        "mds": Noun.of("milliard|milliards", "m"),
    },
    scale_signs={"k": "mille", "K": "mille", "M": "million", "Md": "milliard", "Mds": "milliard", "Mrd": "milliard", "G": "milliard"},
    money={
        "EUR": Money(Noun.of("euro|euros", "m"), Noun.of("centime|centimes", "m")),
        "USD": Money(Noun.of("dollar|dollars", "m"), Noun.of("cent|cents", "m")),
        "CAD": Money(Noun.of("dollar canadien|dollars canadiens", "m"), Noun.of("cent|cents", "m")),
        "GBP": Money(Noun.of("livre sterling|livres sterling", "f"), Noun.of("penny|pence", "m")),
        "CHF": Money(Noun.of("franc suisse|francs suisses", "m"), Noun.of("centime|centimes", "m")),
        "JPY": Money(Noun.of("yen|yens", "m")),
        "CNY": Money(Noun.of("yuan|yuans", "m")),
        "INR": Money(Noun.of("roupie|roupies", "f")),
        "RUB": Money(Noun.of("rouble|roubles", "m"), Noun.of("kopeck|kopecks", "m")),
        "KRW": Money(Noun.of("won|wons", "m")),
        "BTC": Money(Noun.of("bitcoin|bitcoins", "m")),
        "MAD": Money(Noun.of("dirham|dirhams", "m"), Noun.of("centime|centimes", "m")),
        "XOF": Money(Noun.of("franc CFA|francs CFA", "m")),
    },
    money_signs={
        "$ CA": "CAD",
        "$CA": "CAD",
        "$ US": "USD",
        "$US": "USD",
        "FCFA": "XOF",
        "F CFA": "XOF",
        "Fr.": "CHF",
        "C$": "CAD",
        "CA$": "CAD",
    },
    units={
        "Ko": "digital-kilobyte",
        "ko": "digital-kilobyte",
        "Mo": "digital-megabyte",
        "Go": "digital-gigabyte",
        "To": "digital-terabyte",
        "km/h": "kilomètre heure|kilomètres heure",
        "kmh": "kilomètre heure|kilomètres heure",
        "kWh": "kilowattheure|kilowattheures",
        "MWh": "mégawattheure|mégawattheures",
        "TWh": "térawattheure|térawattheures",
        "Mbit/s": "mégabit par seconde|mégabits par seconde",
        "Mb/s": "mégabit par seconde|mégabits par seconde",
        "Gbit/s": "gigabit par seconde|gigabits par seconde",
        "Mo/s": "mégaoctet par seconde|mégaoctets par seconde",
        "mn": "minute|minutes",
        "t": "tonne|tonnes",
        "dB": "décibel|décibels",
        "g/l": "gramme par litre|grammes par litre",
        "mg/l": "milligramme par litre|milligrammes par litre",
        "cal": "calorie|calories",
        "°": "degré|degrés",
        "hab./km²": "habitant au kilomètre carré|habitants au kilomètre carré",
        "l/100 km": "litre aux cent kilomètres|litres aux cent kilomètres",
        "dBA": "décibel|décibels",
        "nœuds": "nœud|nœuds",
    },
    rulers=words_of("""
        Louis Henri François Charles Philippe Napoléon Élisabeth Elisabeth Elizabeth Paul Jean-Paul Jean Benoît Pie Grégoire Clément
        Innocent Léon Boniface Urbain Alexandre Nicolas Pierre Catherine Guillaume George Georges Édouard Edouard Richard Jacques
        Frédéric Ferdinand Maximilien Alphonse Albert Léopold Baudouin Ramsès Thoutmôsis Amenhotep Ptolémée Darius Xerxès Robert
        Childéric Clovis Dagobert Christian Gustave Oscar Harald Olaf Constantin Théodose Justinien Otton Lothaire Conrad Rodolphe
        Joseph François-Joseph Victor-Emmanuel Victor Emmanuel Humbert Mehmed Soliman Selim Ivan Marie Anne Félix Sixte Jules
        Célestin Étienne Amédée Rainier Juan-Carlos Carlos Felipe Isabelle Mohammed Hassan Philippe-Auguste Louis-Philippe Théodoric
        Sanche Martin Eugène Abdallah Marguerite Béatrice
    """),
    roman_nouns=(
        "[Cc]hapitres?|[Tt]omes?|[Aa]ctes?|[Ll]ivres?|[Ss]cènes?|[Vv]olumes?|[Pp]arties?|[Aa]rticles?|[Aa]nnexes?|[Ss]ections?|"
        "[Tt]itres?|[Cc]lasse|[Tt]ypes?|[Pp]hases?|[Nn]iveau|[Ll]eçons?|[Ff]igures?|[Pp]lanches?|[Pp]saumes?|[Cc]hants?|"
        "Vatican|[Cc]anto|[Ss]aison|[Éé]pisode|[Tt]ableaux?|[Cc]atégorie"
    ),
    centuries="siècles?|République|Reich|dynastie|édition|Empire|arrondissement|législature",
)
