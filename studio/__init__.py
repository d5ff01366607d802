"""The studio: names, disk, cache, threads and timing around the engines. It knows no model."""

__version__ = "0.3.0"
