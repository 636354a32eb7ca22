"""What a trained network answers: completed tables, probabilities, likelihoods."""
