"""Parts that engines are built of, the lowest layers first: weights, nn, sampling, codec, fused, decode, gauges."""
