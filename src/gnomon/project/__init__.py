"""Project set-up: init, scaffold, hook, agent registration."""
