"""The shells around wiretape's core: a mock server that plays cassettes over HTTP."""
