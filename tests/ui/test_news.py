"""News: what a page asks at each tick, in one event, each question for itself."""

import logging
from types import SimpleNamespace

import gradio as gr

from studio.ui.news import News


def test_what_one_question_raises_is_reported_and_the_others_are_answered(caplog):
    def show_broken(value):
        raise RuntimeError("what only the log tells")

    def show_sum(first, second):
        return first + second, "seen"

    events = []
    news = News(SimpleNamespace(tick=lambda *event, **how: events.append(event)))
    news.bring(show_broken, ["a"], ["a"])
    news.bring(show_sum, ["b", "c"], ["b", "c"])
    news.wire()
    ((show_news, *parts),) = events
    assert parts == [["a", "b", "c"], ["a", "b", "c"]]
    with caplog.at_level(logging.WARNING):
        broken, *answers = show_news(1, 2, 3)
    assert answers == [5, "seen"]
    assert broken == gr.skip(), "what is shown stays"
    assert "show_broken" in caplog.text
