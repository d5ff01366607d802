"""The HTTP door: compatible on the wire with vLLM-Omni's speech API. It turns requests into calls of Studio, and answers with bytes.

Here the ecosystem's words rule (voice, model, input, ref_audio); inside the studio they are speaker, engine, text, clip, and
studio/speech/request.py translates. No torch and no engine is imported here.
"""
