"""How good the verdict on near-duplicates is, on labelled pairs made of real texts."""
