"""Open loop: requests that come as people come, whatever the server does; what each listener hears, and when."""
