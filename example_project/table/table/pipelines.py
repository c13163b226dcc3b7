"""The table."""

import sqlite3

from itemadapter import ItemAdapter

COLUMNS = "url", "headline", "body", "copy_of"


class TablePipeline:
    """Inserts stories, or replaces them; but a wall in place of a story leaves its row alone."""

    def open_spider(self):
        """Open the table, and add the columns that an older one lacks."""
        self.db = sqlite3.connect("stories.sqlite")
        self.db.execute("CREATE TABLE IF NOT EXISTS stories (url PRIMARY KEY, headline)")
        known = {row[1] for row in self.db.execute("PRAGMA table_info(stories)")}
        for name in COLUMNS:
            if name not in known:
                self.db.execute(f"ALTER TABLE stories ADD COLUMN {name}")

    def process_item(self, item):
        """Write the row of a story."""
        row = ItemAdapter(item)
        verb = "INSERT OR IGNORE" if row.get("no_content") else "INSERT OR REPLACE"
        copy_of = (row.get("near_duplicate") or {}).get("of")  # with its "score"
        values = row["url"], row["headline"], row.get("body"), copy_of
        self.db.execute(f"{verb} INTO stories ({', '.join(COLUMNS)}) VALUES (?, ?, ?, ?)", values)
        return item

    def close_spider(self):
        """Write what was stored."""
        self.db.commit()
        self.db.close()
