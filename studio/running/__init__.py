"""Engines at work: one thread each, their queues, streams, weights and memory."""
