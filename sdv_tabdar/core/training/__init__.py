"""The loss, minimised: loss, step, optimizers, schedule, EMA and the loop over them."""
