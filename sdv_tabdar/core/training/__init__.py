"""The loss, minimised: loop, optimizers, schedule."""
