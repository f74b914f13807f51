"""Publishing to PostgreSQL and answering from it."""
