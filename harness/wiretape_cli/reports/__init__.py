"""Reports as files: one module a format, all from the same Report."""
