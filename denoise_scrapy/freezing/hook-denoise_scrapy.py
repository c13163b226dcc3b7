"""What PyInstaller cannot see: modules named in settings, data files, and metadata, of Scrapy's dependencies too."""

from __future__ import annotations

from PyInstaller.utils.hooks import collect_data_files, collect_submodules, copy_metadata

datas = collect_data_files("denoise_scrapy") + copy_metadata("denoise-scrapy", recursive=True)
hiddenimports = [*collect_submodules("denoise_scrapy"), "tinycss2.color3"]  # the core imports this
