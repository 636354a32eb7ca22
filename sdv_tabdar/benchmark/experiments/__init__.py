"""The experiments. ``declared`` lists them; other modules are what some of them do of their own."""
