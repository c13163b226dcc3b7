"""Made threads: posts of a page's own text, and around each what people did not write."""

from evaluation.corpora import RecordedPage
from example_project.portal.model import tokens
from training.dataset import examples, site_publisher
from training.made_threads import made_threads

ROUGH = "The harbour {n} is closed until the ferry number {n} comes back."


def site(host: str, pages: int = 5) -> list[RecordedPage]:
    """Pages whose sentences are all different."""
    made = []
    for page in range(pages):
        lines = [" ".join(ROUGH.format(n=100 * page + 3 * line + i) for i in range(3)) for line in range(6)]
        head = f"<title>Harbour news {page}</title>"
        body = "".join(f"<p>{line}</p>" for line in lines)
        html = f"{head}<body><nav>Home</nav><h1>Harbour news {page}</h1><div>{body}</div><footer>All rights"
        made.append(RecordedPage(f"http://{host}/{page}", html, "\n".join(lines), host, "article"))
    return made


def test_what_people_wrote_is_the_page_s_own_text():
    pages = {page.url: page for n in range(12) for page in site(f"site{n}.example")}
    threads = [thread for n in range(12) for thread in made_threads(site(f"site{n}.example"))]
    assert len(threads) == 60
    for page, share in threads:
        written = tokens(page.text_of(share == 1))
        assert written and set(written) <= set(tokens(pages[page.url].gold))
        left = share[[text in ("Home", "All rights") for text in page.block_texts]]
        assert left.tolist() == [0, 0]


def test_threads_are_examples_of_their_site_s_fold():
    pages = [site(f"many{n}.example", 3) for n in range(30)]
    folds = {site_publisher(one): n % 4 for n, one in enumerate(pages)}
    found = [one for one in examples("news", pages, folds, (0,), 1.0) if one.made == "thread"]
    assert found
    assert all(one.fold == int(one.page.url.split("many")[1].split(".")[0]) % 4 for one in found)
