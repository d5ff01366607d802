"""Long work on threads of its own, with progress and a way to stop it."""
