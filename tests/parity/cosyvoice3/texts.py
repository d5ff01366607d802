"""Texts whose pieces are compared: Chinese, English and what is between, with numbers, marks, quotes and what nobody says."""

__all__ = ["TEXTS"]

TEXTS = (
    "收到好友从远方寄来的生日礼物，那份意外的惊喜与深深的祝福让我心中充满了甜蜜的快乐，笑容如花儿般绽放。",
    "今天是2024年5月1日，温度25.5℃，花了￥300。",
    "他说：“你好！”然后走了。 再见",
    "面积是5m²，体积是3m³——（大约）【注】`代码`",
    "。。。！？",
    "你好 世界 hello world 再见",
    "第一句话说完了。第二句话也说完了！第三句话呢？第四句；第五句：第六句、第七句。" * 4,
    "一二三四五六七八九十，" * 9 + "完",
    "短。" + "这是一个很长很长的句子没有任何标点符号就这样一直说下去直到说完为止不停地说不停地说" * 3 + "。尾。",
    "价格 - 100元,,，",
    "The quick brown fox jumps over the lazy dog.",
    "In 2024 there were 1,234 people and 3.5% of them left at 10:30.",
    'He said: "Go!" Then he left; nobody knew why... Really?',
    "Dr. Smith paid $5.30 for 2 kg of apples on 12/05/2021.",
    "One sentence here, as it were. " * 14,
    "A long sentence without any marks that simply goes on and on and on until it is over and nobody can tell where it should be cut",
    "Short. " + "word " * 40 + "end. Tail.",
    "?!...",
    "  blanks around, and a comma,  ",
    "No mark at the end",
    "[breath] A tag [laughter] stays <strong>here</strong>.",
    "a <|endofprompt|> 12. b",
    "Ends with a quote.” Next 3rd one",
    "line one\nline two\n2 lines",
    "Bonjour, ça coûte 15 euros ; merci !",
)
