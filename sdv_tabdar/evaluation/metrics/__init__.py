"""The metrics, one file each. A file ends in a `METRIC` that declares all about its scores."""
