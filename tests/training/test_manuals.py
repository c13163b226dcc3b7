"""The corpus of packaged manuals: what a generator of pages puts around the content is left out."""

import pytest

from training.manuals import MANUALS, content_of

PAGES = {
    "cmake-doc": '<p>Index</p><div role="main"><h1>Ports<a class="headerlink">#</a></h1><p>Quiet.</div>',
    "git-doc": "<div id=header><h1>Ports</h1><div id=toc>Index</div></div><p>Quiet.</p><div id=footer>Index</div>",
    "postgresql-doc-15": "<div class=navheader>Index</div><h1>Ports</h1><div class=toc>Index</div><p>Quiet.",
    "rust-doc": "<nav>Index</nav><main><h1>Ports</h1><nav>Index</nav><p>Quiet.</main>",
}


@pytest.mark.parametrize("package", PAGES)
def test_frames_of_generators_are_no_content(package):
    assert content_of(PAGES[package].encode(), MANUALS[package][1]) == "Ports\nQuiet."
