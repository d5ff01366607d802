"""What the figures of an evaluation say: means, comparisons beyond chance, steadiness, and which sounds to hear first."""
