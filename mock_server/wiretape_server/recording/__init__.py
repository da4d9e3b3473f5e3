"""Recording: a reverse proxy before the real backend, and what becomes a cassette of its traffic."""
