"""The shape of a crawl: what each host gave, how much of it was kept, how sure that is."""
