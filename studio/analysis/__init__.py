"""Estimators: models that judge a sound by words, quality, likeness and loudness. Packages of most come with `make ears`."""

from studio.settings.telemetry import refuse_telemetry

refuse_telemetry()  # onnxruntime, which some of the packages bring, asks when it is loaded
