"""What Hypothesis makes up, for the tests that ask it: imported before it by each of them."""

from hypothesis.internal.conjecture import providers

# Of what Hypothesis makes up, some would be words and numbers out of the product's source: with each edit others, and others again with
# each file that the process has imported by then. To search all modules for them takes seconds, in each process.
providers._get_local_constants = lambda: providers._local_constants
