"""Estimators: models that judge a sound by words, quality, likeness and loudness. Packages of most come with `make ears`."""
