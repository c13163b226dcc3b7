"""Quality of the verdict on near-duplicates: on labelled pairs, on made streams, on streams of real texts."""
