"""The Codex app-server without sockets: what a client says goes in, what it hears comes out."""
