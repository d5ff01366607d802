"""Planning of listening tests: what a plan will find out, by panels that are simulated with tastes, before anybody listens."""
