"""The reading use case: two arms, fusion, ranking, refusal, explanation."""
