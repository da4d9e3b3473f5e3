"""The ``wiretape`` command, where everything is put together. Its interface is its verbs and exit codes."""
