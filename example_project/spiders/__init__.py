"""The spiders: one for the example portal, one for any sites."""
