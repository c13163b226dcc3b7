"""Kinds of units; measures of feature strings and signatures."""

cpdef enum:
    # Kinds of units; all others are 0.
    IDEOGRAPH = 1
    NUMBER = 2  # a word with a digit in it
    # Units of a run, by its first one. Measured on 7,800 texts of four streams, each against all earlier ones: with
    # these lengths copies share more than .6 of their runs and other texts less; with pairs the ranges overlap (Chinese
    # .70 and .70), and with longer runs copies changed in many places fall below.
    RUN = 5
    RUN_OF_IDEOGRAPHS = 3
    # MinHash signatures rule out dissimilar texts in a few table look-ups: 64 values, 32 bands of 2, over shingles of 3
    # units. Measured on made-up edits of real pages: 99.7% of the duplicates share a band (96.9% of texts cut to 30%),
    # with under 10 false candidates in 100,000 unrelated texts. Wider bands lose texts that are a part of a kept one:
    # 16 x 4 finds 18% of the texts cut to 30%.
    BANDS = 32
    BAND_ROWS = 2
    VALUES = 64
    SHINGLE = 3  # 2: forty times the false candidates; 5: weaker on single-word edits
