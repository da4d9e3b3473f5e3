"""The inspector: pages that show what goes over the wire of a running server; they change nothing."""
