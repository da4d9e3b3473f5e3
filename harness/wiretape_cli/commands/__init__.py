"""One module a verb: its options and help. What costs an import is imported when the verb runs."""
