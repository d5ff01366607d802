"""Where sentences end, kind by kind: lines of many languages with a ¦ at each cut. In pieces they are cut as they are whole."""

import pytest

from engines.text.text_splitter import TextSplitter, split_text

KINDS = {
    "numbered lists": """
1. Open the door¦\\n2. Close the window¦\\n3. Leave the house
1. Open the door.¦\\n2. Close the window.¦\\nThen rest.
Steps:¦\\n1. Open the door¦\\n2. Close it¦\\n3. Go
1) Open¦\\n2) Close¦\\n3) Leave
(1) Open the door¦\\n(2) Close it
1.) Open¦\\n2.) Close
1. Open the door.¦ 2. Close the window.¦ 3. Leave.
1. Open the door 2. Close the window 3. Leave
a) One¦\\nb) Two¦\\nc) Three
a. One¦\\nb. Two
1.1. One¦\\n1.2. Two¦\\n1.3. Three
9. Nine¦\\n10. Ten¦\\n11. Eleven
"1. Open."¦ "2. Close."
2. Close the window
See page\\n12. Then go on.
Written by\\nA. Smith and friends.
How many?¦ 42. That is all.
Schritte:¦\\n1. Tür öffnen¦\\n2. Fenster schließen
1. e4 e5 2. Nf3 Nc6 3. Bb5 a6.
手順：¦\\n1. ドアを開ける¦\\n2. 窓を閉める
Chapter 1.¦ The Boy.
""",
    "bullets": """
Shopping:¦\\n• milk¦\\n• eggs¦\\n• bread
• First¦\\n• Second
Buy these.¦\\n- milk\\n- eggs
It was a well\\nknown thing.
""",
    "quotes of Japanese": """
「行こう。」と言った。¦次の日。
「行こう。」と彼は言った。¦終わり。
『はい。』とだけ答えた。¦次。
「え？」と聞いた。¦「うん。」
「はい。」¦「いいえ。」と二人は答えた。
「走れ！」という声。¦次。
「そうだ。」って言われた。
彼は「はい。」と言った。¦彼女は「いいえ。」を選んだ。
「行くよ。」¦ところが来ない。
「はい。」¦とても嫌だ。
「ありがとう！」¦彼女は笑った。
「『はい。』と言った。」¦次。
「そう……」¦彼女は黙った。
でも…そうだね。¦次。
（本当だ。）¦はい。
（（本当だ。））¦はい。
今日は晴れ!¦明日は?¦さあ。
「走れ。」彼は言った。¦次。
""",
    "quotes of Chinese": """
“走吧。”他说。¦她走了。
“走吧！”小明喊道，“快！”
“走吧。”¦他走了。
“真的吗？”她问道。¦“真的！”他大声说。
“我知道。”¦知道的人很多。
他说：“你好。”¦然后走了。
「走吧。」他笑着说道。¦好。
‘好。’她问，他走了。
他问：“真的吗？”我说：“真的。”
我……我不知道。¦好。
看《摔跤吧！爸爸》好吗？¦好。
（他走了。）¦她留下。
""",
    "abbreviations of English": """
See e.g. The Times, i.e. The paper.¦ Yes.
He works in the U.S. Senate.¦ Good.
He works in the U.S.¦ The weather is fine.
At 5 p.m. he left.¦ At 6 a.m.¦ He came.
She has a Ph.D. in Physics.¦ He has a Ph.D.¦ She is proud.
See Fig. 3 vs. Fig. 4, Vol. IV, pp. 6-7, Sec. 3.2.¦ OK.
Apples, pears, etc.¦ They are good.
Apples etc. John left.
Acme Inc. Smith.¦ Acme Inc.¦ It grows.
He lives on Main St.¦ He likes St. James St. very much.
Mr. and Mrs. Smith met Prof. Brown, Gen. Lee and Capt. Cook.¦ Yes.
No.¦ It is No. 5.¦ No.¦ Not now.
Mr. T. J. Smith Jr. went.¦ He is John Smith Jr.¦ Then he left.
""",
    "abbreviations of German": """
Er wohnt in der Berliner Str. 5.¦ Sie auch.
Das kostet z. B. viel, d. h. zu viel.¦ Ja.
Das kostet z.B. Geld, d.h. Zeit.¦ Ja.
Brot, Milch usw.¦ Dann gehen wir.
Brot usw. Anna geht.
Nr. 5 und St. Peter bzw. Dr. Meier.¦ Ende.
Prof. Dr. med. Meier, Bd. 3, Abb. 4, S. 12, vgl. Kap. 2.¦ Gut.
Im Jahr 44 v. Chr. Caesar.¦ Im Jahr 44 v. Chr.¦ Die Römer kamen.
Am 3. Mai, im 19. Jahrhundert, im XIX. Jahrhundert.¦ Der 1. FC Köln.
Fahrt von 3 Std. Anfahrt, ca. Ende Mai.¦ Gut.
""",
    "abbreviations of French": """
M. Dupont et Mme. Curie arrivent.¦ Voilà.
J'aime p. ex. Paris, par ex. Lyon, etc.¦ Il part.
En 44 av. J.-C. César vint.¦ Cf. p. 3, vol. II, chap. 4.¦ Fin.
""",
    "abbreviations of Spanish": """
El Sr. García y la Sra. López de EE. UU. vienen.¦ Vale.
Vive en EE. UU.¦ Ella también.
Hay p. ej. Madrid, etc.¦ Luego se fue.
El Lic. Pérez, Uds. Vds. y Avda. Goya, núm. 5.¦ Sí.
""",
    "abbreviations of Italian, Portuguese and Dutch": """
Il sig. Rossi e il dott. Bianchi, ecc.¦ Poi via.
L'avv. Neri, ad es. Carlo.¦ Ma no.
O Sr. Silva, a Dra. Ana, p. ex. Rita.¦ Fim.
Dhr. Jansen en mevr. De Vries, bijv. Anna, enz.¦ Het is goed.
""",
    "abbreviations of Russian and Polish": """
В 2020 г.¦ Он приехал.
В г. Москва, на ул. Ленина, т. е. Москва.¦ Да.
И т. д. и т. п.¦ Это так.
А. С. Пушкин умер.¦ Это я.¦ Ты где?
Было 10 тыс. руб.¦ Он купил.
Mieszka np. Anna, itd.¦ Potem ul. Długa 5.
""",
    "abbreviations of other scripts": """
डॉ. शर्मा आए।¦ ठीक।
جاء د. أحمد هنا.¦ نعم.
ดร. สมชาย มาแล้ว เวลา 10.00 น. ตำรวจมา
Πού;¦ εδώ, π.χ. Αθήνα.¦ Ναι.
""",
    "capitals": """
IT IS SO.¦ AND THEN.¦ GO!
MR. SMITH WENT TO THE U.S.¦ THE END.
THIS IS NASA.¦ IT FLIES.
MADE IN CA.¦ THE END.
""",
    "pictures": """
Great! 🎉¦ Next one.
no 😂.¦ Yes ❤️.¦ No
Great!🎉¦ Next.
Really? 😂¦ yes
Wow!!! 😂😂😂¦ Next.
Family? 👨\u200d👩\u200d👧¦ Flag! 🇫🇷¦ Next
Thanks :) Bye.¦ See you! :-)¦ Later
Hello!¦\\n🎉 Next
🎉 First.¦ 🎉 Second.
""",
    "ellipses and dashes": """
Wait... what?¦ Wait… what?¦ Well…¦ Yes.
So...¦ Yes.¦ No ... maybe.
I mean . . . what I say.¦ So . . .¦ Yes.
— Привет! — сказал он.¦ — Пока.
—¡Hola! —dijo él.¦ —Adiós —dijo ella.
Ready? - yes.¦ One.¦ — Two.
Ну?.. он молчал.¦ Что!..¦ Нет.
""",
    "numbers and names with marks": """
Version 2.0.1 is out.¦ Visit example.com.¦ Or 3.14.¦ OK
J. R. R. Tolkien, C. S. Lewis and J.K. Rowling wrote.¦ Yes.
Yahoo! is good.¦ I like Yahoo!¦ It works.
I like plan B.¦ It works.¦ So do I.¦ He left.
It was 5 m.¦ The end.¦ It has 20°C.¦ Then 100 km/h.¦ Next.
What?!¦ No!!¦ Really??¦ Yes!?
""",
    "closing quotes": """
„Komm!“ sagte er.¦ „Ja.“¦ Sie ging.
»Gut.«¦ Er ging.¦ «Oui.»¦ Il va.
« Viens ! » dit-il.¦ « Non. »¦ Il part.
« Viens ! », dit-il.¦ Vraiment ?¦ Oui.
“Go.”¦ He went.¦ ‘Stop!’ she said.¦ ‘No.’¦ He left.
"Why?" he asked.¦ "Because."¦ She knew.
(He left.)¦ [She stayed.]¦ They (all.) went.¦ Done (yes!).¦ OK
"가자." 라고 말했다.¦ "가자."¦ 그가 갔다.
¿Qué?¦ ¿Cómo?¦ ¡Hola!¦ ¿Y tú?
""",
    "marks of other scripts": """
नमस्ते।¦ आप कैसे हैं?¦ ठीक॥¦ हाँ
كيف حالك؟¦ بخير۔¦ نعم
สวัสดีครับ วันนี้อากาศดี ไปไหนมาคะ
จบแล้ว๛¦เริ่มใหม่
မင်္ဂလာပါ။¦နေကောင်းလား
សួស្តី។¦ជំរាបលា៕¦ទេ
Τι κάνεις;¦ Καλά, εσύ;¦ Ναι.
Լավ է։¦ Լավ է:¦ Այո
ሰላም።¦ እንዴት፧¦ ሰላም፡፡¦ ደህና
""",
}


def lines_of(kind: str) -> list[str]:
    return [line.replace("\\n", "\n") for line in KINDS[kind].strip().splitlines()]


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_is_cut_where_its_sentences_end(kind):
    for line in lines_of(kind):
        assert split_text(line.replace("¦", ""), "sentence") == tuple(unit.strip() for unit in line.split("¦"))


def fed(*pieces: str, granularity: str = "sentence") -> tuple[str, ...]:
    splitter = TextSplitter(granularity)
    return (*(unit for piece in pieces for unit in splitter.feed(piece)), *splitter.flush())


@pytest.mark.parametrize("granularity", ["sentence", "clause"])
def test_in_two_pieces_or_in_single_characters_a_line_is_cut_as_it_is_whole(granularity):
    for line in (line for kind in KINDS for line in lines_of(kind)):
        text = line.replace("¦", "")
        whole = split_text(text, granularity)
        assert fed(*text, granularity=granularity) == whole
        for at in range(1, len(text)):
            assert fed(text[:at], text[at:], granularity=granularity) == whole
