"""The writing use case: plan without effects, then run."""
