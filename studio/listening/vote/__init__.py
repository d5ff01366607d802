"""What listeners do: sessions, answers and their checks, votes."""
