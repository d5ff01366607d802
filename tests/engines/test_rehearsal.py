"""Every engine that computes on a GPU does its whole work on a fake one: nothing waits, nothing lies on the wrong side, graphs copy nothing."""

from tests.engines.qwen3_tts.networks import tiny_folder
from engines.catalog import open_engine
from studio.measure.rehearsal import rehearse

def test_it():
    import time
    t=time.time()
    r = rehearse(lambda: open_engine("qwen3_tts", checkpoint=str(tiny_folder(ends_with_text=True)), device="cuda:0"))
    print(r, time.time()-t)
