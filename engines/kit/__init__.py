"""What engines are built of, from the ground to the roof: weights, nn, sampling, codec, fused, decode, gauges."""
