"""What a model may give away about single rows: rare values are taken out before it sees them."""
