# Thin names for dev.py; `just --list` shows them.

# the quick loop, under a minute
test:
    python3 dev.py quick

# every gate
check:
    python3 dev.py check

# set up and ask this folder something
try *arguments:
    python3 dev.py try {{arguments}}
