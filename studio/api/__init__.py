"""The HTTP door: wire-compatible with vLLM-Omni's speech API. It turns requests into bytes, and calls Studio's verbs.

Here the ecosystem's words rule (voice, model, input, ref_audio); inside the studio they are speaker, engine, text, clip, and
studio/speech/request.py translates. No torch and no engine is imported here.
"""
