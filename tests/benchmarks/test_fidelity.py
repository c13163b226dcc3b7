"""Elements of pages and of Markdown, read in the same way."""

from collections import Counter

from benchmarks import fidelity
from evaluation.corpora import RecordedPage

PAGE = """<body><nav><ul><li><a href=/>Some home</a></ul></nav><h1>The title here</h1>
<p>It is <b>bold text</b> in a line<br>and then <a href=/b>a link there</a> and <code>code_in_line</code> as well.
<ul><li>an outer item<ul><li>an inner item</ul><li><input type=checkbox checked>a task done</ul>
<table><tr><th>Name of it<th>Value of it<tr><td>some name<td>a value</table>
<div class=highlight-python3><table><tr><td class=linenos><pre>1\n2</pre>
<td><pre>def here():\n    pass</pre></table></div>
<blockquote><p>words of another</blockquote><dl><dt>the term<dd>what it means</dl>
<p>A reference<sup><a href=#n1 id=r1>1</a></sup> to it <img src=/a.png width=400 alt=A> and more.
<ol><li id=n1>a note of it <a href=#r1>↩</a></ol>"""
GOLD = """The title here. It is bold text in a line and then a link there and code_in_line as well. an outer item
an inner item. a task done. Name of it Value of it some name a value. def here(): pass words of another the term
what it means. A reference1 to it and more. a note of it"""
KINDS = {
    *("heading", "emphasis", "line break", "link", "code in a line", "item of a list", "item of an inner list"),
    *("box of a task", "row of a table", "code", "language of code", "quotation", "definition", "footnote", "image"),
}


def test_elements_of_the_main_text():
    found = Counter(element.kind for element in fidelity.elements_of(RecordedPage("http://a.example/p", PAGE, GOLD)))
    assert set(found) == KINDS
    assert found["row of a table"] == 2 and found["link"] == 1  # the frame's is none


def test_what_ours_keeps_of_them(monkeypatch):
    monkeypatch.setattr(fidelity, "TOOLS", {fidelity.OURS: fidelity._ours, "nothing": lambda one: "The title here"})
    page = RecordedPage("http://a.example/p", PAGE, GOLD)
    one = fidelity.Candidate(page, [], Counter(fidelity._without_places(fidelity.elements_of(page))))
    kept = fidelity.measure([one])
    assert kept["nothing"].total() == 0
    lost = {kind: (kept[fidelity.OURS][kind], number) for kind, number in kept[""].items()}
    assert {kind: pair for kind, pair in lost.items() if pair[0] < pair[1]} == {}
    assert "| heading | 1 | 1 | 1.00 | 0.00 |" in fidelity.kept_table([one], kept)
