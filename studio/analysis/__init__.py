"""Estimators: models that judge a sound by words, quality, likeness and loudness. Their packages come with `make ears`."""
