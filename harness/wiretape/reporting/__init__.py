"""Reports as files: one model, the JSON report, and its faces."""
