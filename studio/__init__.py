"""The studio: names, disk, cache, threads and timing around the engines. It knows no model."""
