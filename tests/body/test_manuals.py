"""Pages of manuals in the markup of their generators: what becomes of signatures, boxes, tabs and frames of code."""

import pytest

from denoise_scrapy import extract
from tests.body.test_comments import PROSE
from tests.body.test_leftovers import STORY, kept_of

#: The markup of generators, and what Markdown has between two paragraphs.
FORMS = {
    "VitePress: code": (
        "<div class='language-ts line-numbers-mode'><button class='copy'></button><span class='lang'>ts</span>"
        "<pre class='shiki'><code><span class='line'>a&lt;T&gt;()</span>\n<span class='line'>b()</span></code></pre>"
        "<div class='line-numbers-wrapper' aria-hidden='true'><span class='line-number'>1</span><br>"
        "<span class='line-number'>2</span><br></div></div>",
        "```ts\na<T>()\nb()\n```",
    ),
    "VitePress: group of code": (
        "<div class='vp-code-group'><div class='tabs'><input type='radio' name='g' id='t1' checked><label for='t1'>npm"
        "</label><input type='radio' name='g' id='t2'><label for='t2'>From source</label></div><div class='blocks'>"
        "<div class='language-sh active'><button class='copy'></button><span class='lang'>sh</span><pre><code>npm add x"
        "</code></pre></div><div class='language-sh'><span "
        "class='lang'>sh</span><pre><code>make</code></pre></div></div>"
        "</div>",
        "**npm**\n\n```sh\nnpm add x\n```\n\n**From source**\n\n```sh\nmake\n```",
    ),
    "VitePress: boxes": (
        "<div class='tip custom-block'><p class='custom-block-title'>TIP</p><p>Use a longer name.</p></div>"
        "<div class='danger custom-block'><p class='custom-block-title'>Stop here</p><p>It is hot.</p></div>"
        "<details class='details custom-block'><summary>More</summary><p>It is long.</p></details>",
        "> [!TIP]\n> Use a longer name.\n\n> [!CAUTION]\n> **Stop here**\n>\n> It is hot.\n\n"
        "> [!NOTE]\n> **More**\n>\n> It is long.",
    ),
    "Docusaurus: code": (
        "<div class='language-jsx theme-code-block'><div class='codeBlockTitle_x'>src/a.js</div><div><pre "
        "class='prism-code "
        "language-jsx'><code><span class='token-line'>f(&lt;b&gt;<br></span><span "
        "class='token-line'>)<br></span></code>"
        "</pre><div class='buttonGroup'><button aria-label='Wrap'></button><button>Copy</button></div></div></div>",
        "src/a.js\n\n```jsx\nf(<b>\n)\n```",
    ),
    "Docusaurus: an empty line": (
        "<pre><code><div class=line><span>a</span><br></div><div "
        "class=line><span></span><br></div><div class=line><span>"
        "b</span><br></div></code></pre>",
        "```\na\n\nb\n```",
    ),
    "Docusaurus: tabs": (
        "<div class='tabs-container'><ul role='tablist' class='tabs'><li role='tab' class='tabs__item'>Apple</li>"
        "<li role='tab' class='tabs__item'>Pear</li></ul><div class='margin-top--md'><div "
        "role='tabpanel'><p>It is red.</p>"
        "</div><div role='tabpanel'><p>It is green.</p></div></div></div>",
        "**Apple**\n\nIt is red.\n\n**Pear**\n\nIt is green.",
    ),
    "Docusaurus: box": (
        "<div class='theme-admonition theme-admonition-info alert alert--info'><div "
        "class='admonitionHeading_x'><span></span>"
        "Before 3</div><div class='admonitionContent_x'><p>It differs.</p></div></div>",
        "> [!NOTE]\n> **Before 3**\n>\n> It differs.",
    ),
    "Sphinx: class": (
        "<dl class='py class'><dt class='sig sig-object py' id='m.W'><span class='property'>class </span><span class="
        "'sig-name descname'>W</span><a href='_modules/m.html#W'><span "
        "class='viewcode-link'>[source]</span></a><a class="
        "'headerlink' href='#m.W'>¶</a></dt><dd><p>It turns.</p><dl class='py method'><dt class='sig sig-object py' "
        "id='m.W.turn'><span class='sig-name'>turn</span><span>(</span><em class='sig-param'>by: <a "
        "href='#i'>int</a></em>"
        "<span>)</span></dt><dd><p>By some degrees.</p></dd></dl></dd></dl>",
        "### `class W`\n\nIt turns.\n\n#### `turn(by: int)`\n\nBy some degrees.",
    ),
    "docutils: function": (
        "<dl class='function'><dt id='os.exit'><code class='descname'>exit</code>(<em>code</em>)</dt><dd>It "
        "ends.</dd></dl>"
        "<div class='admonition warning'><p class='first admonition-title'>Warning</p><p>At once.</p></div>",
        "### `exit(code)`\n\nIt ends.\n\n> [!WARNING]\n> At once.",
    ),
    "sphinx-tabs": (
        "<div class='sphinx-tabs'><div role='tablist'><button role='tab'>Linux</button><button "
        "role='tab'>macOS</button>"
        "</div><div class='sphinx-tabs-panel' role='tabpanel'><p>apt</p></div><div class='sphinx-tabs-panel' "
        "role='tabpanel'><p>brew</p></div></div>",
        "**Linux**\n\napt\n\n**macOS**\n\nbrew",
    ),
    "tabs and what follows": (
        "<div role='tablist'><button role='tab'>Linux</button><button role='tab'>macOS</button></div>"
        "<div role='tabpanel'><p>apt</p></div><div role='tabpanel'><p>brew</p></div><p>Then start it.</p>",
        "**Linux**\n\napt\n\n**macOS**\n\nbrew\n\nThen start it.",
    ),
    "Material: tabs and box": (
        "<div class='tabbed-set'><input type=radio name=a><input type=radio name=a><div "
        "class='tabbed-labels'><label>pip"
        "</label><label>conda</label></div><div class='tabbed-content'><div class='tabbed-block'><p>One.</p></div>"
        "<div class='tabbed-block'><p>Two.</p></div></div></div><details class='warning'><summary>Read this</summary>"
        "<p>It is short.</p></details>",
        "**pip**\n\nOne.\n\n**conda**\n\nTwo.\n\n> [!WARNING]\n> **Read this**\n>\n> It is short.",
    ),
    "rustdoc": (
        "<section id='method.new' class='method'><a class='src' href='../src/v.rs.html#9'>Source</a><h4 "
        "class='code-header'>"
        "pub fn <a href='#method.new'>new</a>() -&gt; <a href='v.html'>V</a>&lt;T&gt;</h4></section><p>It is empty.</p>"
        "<pre class='rust rust-example-rendered'><code>V::new()</code></pre>",
        "#### `pub fn new() -> V<T>`\n\nIt is empty.\n\n```rust\nV::new()\n```",
    ),
    "Javadoc": (
        "<section class='detail'><h3>charAt</h3><div "
        "class='member-signature'><span>public</span>&nbsp;<span>char</span>"
        "&nbsp;<span>charAt</span><span>(int&nbsp;index)</span></div><div class='block'>The value at an "
        "index.</div></section>",
        "### charAt\n\n`public char charAt(int index)`\n\nThe value at an index.",
    ),
    "sphinx-design: tabs, dropdown": (
        "<div class='sd-tab-set docutils'><input type=radio name=s id=a><label class='sd-tab-label' for=a>Gas</label>"
        "<div class='sd-tab-content docutils'><p>It burns at once.</p></div><input type=radio name=s id=b><label class="
        "'sd-tab-label' for=b>Wood</label><div class='sd-tab-content docutils'><pre>saw(wood)</pre><p>It smells.</p>"
        "</div></div><details class='sd-sphinx-override sd-dropdown sd-card'><summary class='sd-summary-title'><span>"
        "Is it hot?</span><span class='sd-summary-state-marker'><svg></svg></span></summary><div><p>It is.</p></div>"
        "</details>",
        "**Gas**\n\nIt burns at once.\n\n**Wood**\n\n```\nsaw(wood)\n```\n\nIt smells.\n\n**Is it hot?**\n\nIt is.",
    ),
    "Sphinx: signature of many lines": (
        "<dl class='py method'><dt class='sig sig-object py' id='m.boil'><span "
        "class='sig-name'>boil</span><span>(</span>"
        "\n\n<dl>\n<dd><em class='sig-param'>degrees: float = 100.0</em>,</dd>\n<dd><em class='sig-param'>whistle: <a "
        "href='#b'>bool</a></em>,</dd>\n</dl>\n\n<span>)</span> <span class='sig-return'>&#8594; int</span><a href="
        "'_modules/m.html#boil'><span>[source]</span></a><a class='headerlink' href='#m.boil'>¶</a></dt>\n<dd><p>Heat "
        "it.</p>\n<dl class='field-list'>\n<dt>Returns:</dt>\n<dd><p>Minutes.</p>\n</dd>\n</dl></dd></dl>",
        "### `boil( degrees: float = 100.0, whistle: bool, ) → int`\n\nHeat it.\n\n- Returns:\n  - Minutes.",
    ),
    "Sphinx: code and a list in cells": (
        "<table class='docutils'><caption><span>Ways</span><a class='headerlink' "
        "href='#w'>¶</a></caption><thead><tr><th>"
        "<p>Way</p></th><th><p>Use</p></th></tr></thead><tbody><tr><td><p>M</p></td><td><div "
        "class='highlight'><pre>turn"
        "(a|b)\n  "
        "stop()</pre></div></td></tr><tr><td><p>L</p></td><td><ul><li><p>iron</p></li><li><p>wood</p></li></ul>"
        "</td></tr></tbody></table>",
        "Ways\n\n| Way | Use |\n| --- | --- |\n| M | `turn(a\\|b)`<br>` stop()` |\n| L | iron<br>wood |",
    ),
    "Material: folded boxes": (
        "<details class='question'><summary>Is it full?</summary><p>Look.</p></details>"
        "<details class='example' open='open'><summary>Example</summary><p>Lift it.</p></details>",
        "> [!NOTE]\n> **Is it full?**\n>\n> Look.\n\n> [!NOTE]\n> Lift it.",
    ),
    "rustdoc: bounds": (
        "<details class='toggle' open><summary><section class='impl'><a class='src' "
        "href='../src/v.rs.html#9'>Source</a><a "
        "href='#i' class='anchor'>§</a><h3 class='code-header'>impl&lt;T&gt; Send for "
        "V&lt;T&gt;<div class='where'>where "
        "T: Send,</div></h3></section></summary><div class='docblock'><p>It can be sent.</p></div></details>",
        "### `impl<T> Send for V<T> where T: Send,`\n\nIt can be sent.",
    ),
    "pdoc": (
        "<div class='attr function'><span class='def'>def</span> <span "
        "class='name'>boil</span><span class='signature'>("
        "<span class='param'><span>self</span>,</span> <span class='param'>degrees: "
        "float</span>)</span></div><div class="
        "'codehilite'><pre>def boil():\n\n    pass\n</pre></div>",
        "`def boil(self, degrees: float)`\n\n```\ndef boil():\n\n    pass\n```",
    ),
    "GitHub": (
        "<div class='markdown-alert markdown-alert-important'><p class='markdown-alert-title'><svg></svg>Important</p>"
        "<p>It is.</p></div><div class='highlight highlight-source-shell'><pre>npm ci</pre></div>",
        "> [!IMPORTANT]\n> It is.\n\n```shell\nnpm ci\n```",
    ),
    "Asciidoctor": (
        "<div class='admonitionblock tip'><table><tr><td class='icon'><div class='title'>Tip</div></td><td "
        "class='content'>"
        "<div><p>Be short.</p></div></td></tr></table></div>",
        "> [!TIP]\n> Be short.",
    ),
    "in no generator's": (
        "<div><div><span>TypeScript</span><span>Copy code</span></div><pre>a</pre></div><pre data-language=go>b</pre>"
        "<dl><dt id=f>close(now=False)</dt><dd>It shuts.</dd></dl>",
        "```typescript\na\n```\n\n```go\nb\n```\n\n### `close(now=False)`\n\nIt shuts.",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_form(form: str) -> None:
    markup, expected = FORMS[form]
    body = kept_of(f"<h2>Manual</h2>{STORY}{markup}<p>The end of it all, which is a paragraph.</p>")
    between = body.markdown.split("walkers.\n\n")[1].split("\n\nThe end")[0]
    assert between == expected
    assert "[source]" not in body.text and "Copy" not in body.text


@pytest.mark.parametrize(
    "markup",
    [
        "<div class=info><h3 class=title>Kettle</h3><p>It boils.</p></div>",  # of a shop, no admonition
        "<div class=signature>Yours, Ann (the second)</div>",
        "<dl><dt>Widget (noun)<dd>A thing.</dl>",
        "<ul class=tabs><li>One<li>Two</ul><p>Not as many panels.</p>",
        "<div><p>In words.</p><span>Python</span> is a language of many words, as this sentence is.<pre>a</pre></div>",
        "<h4>Python</h4><pre>a</pre>",
        "<p>It is said <a href=x>[source]</a> that it rained.</p>",
        "<div><button>Python</button><button>Go</button><pre>a</pre></div>",  # tabs
    ],
)
def test_what_is_none_of_these(markup: str) -> None:
    body = kept_of(f"<h2>Manual</h2>{STORY}{markup}")
    assert all(block.kept for block in body.blocks)
    assert "[!" not in body.markdown and "`" not in body.markdown.replace("```", "")


def test_terms_stay_with_their_definitions_in_chunks() -> None:
    terms = "".join(f"<dt>Term {n}</dt><dd>{STORY * 2}</dd>" for n in range(9))
    chunks = kept_of(f"<h2>Terms</h2>{STORY}<dl>{terms}</dl>").chunks(max_tokens=60)
    for chunk in chunks:
        assert "Term" not in chunk.text.split("\n")[-1], chunk.text
    assert sum(chunk.text.count("Term") for chunk in chunks) == 9


def test_signatures_are_the_headings_of_their_chunks() -> None:
    chunks = kept_of(f"<h2>Manual</h2>{STORY}{FORMS['Sphinx: class'][0]}").chunks(max_tokens=20)
    assert chunks[-1].headings[-2:] == ("class W", "turn(by: int)")


def test_what_names_a_text_is_in_its_chunk() -> None:
    """The name of a file above its code, a question above its answer."""
    files = "".join(f"<p>src/boil{n}.py</p><pre>boil(kettle, degrees={n})</pre>" for n in range(6))
    answers = "".join(f"<details><summary>Is kettle {n} hot?</summary><p>{STORY}</p></details>" for n in range(6))
    chunks = kept_of(f"<h2>Manual</h2>{STORY}{files}{answers}").chunks(max_tokens=50)
    assert len(chunks) > 6
    for chunk in chunks:
        last = chunk.text.split("\n")[-1]
        assert not last.startswith("src/") and "hot?" not in last, chunk.text


def test_dropped_code_leaves_no_line_break() -> None:
    body = kept_of(f"{STORY}<p>One line<pre>gone<br>gone too</pre><p>Another one.", "gone")
    assert body.markdown.endswith("One line\n\nAnother one.")


TABS = (
    "<div class=tabs role=tablist><button role=tab aria-controls=t1>The numbers</button>"
    "<button role=tab aria-controls=t2>The history</button></div>"
    "<div id=t1 role=tabpanel><table><tr><th>Year<th>Cost<tr><td>2024<td>12m</table></div>"
    "<div id=t2 role=tabpanel hidden><p>{}</p>"
    "<p>It stood until the flood of 1953, when the whole street lay under water.</p></div>"
)


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(
            PROSE["en"][-1], marks=pytest.mark.xfail(reason="beside a table it passes for a frame", strict=True)
        ),
        "12m",
    ],
    ids=["paragraph", "table"],
)
def test_a_tab_box_behind_most_of_a_story_is_part_of_it(part: str) -> None:
    *first, wall = PROSE["en"]
    story = "".join(f"<p>{text}</p>" for text in first)
    page = f"<nav><a href=/>Home</a></nav><article><h1>A wall</h1>{story}{TABS.format(wall)}</article>"
    assert part in extract(page).text


def test_a_tab_box_of_links_beside_a_story_is_none_of_it() -> None:
    story = "".join(f"<p>{text}</p>" for text in PROSE["en"][:-1])
    links = "".join(f"<a href=/{n}>Story {n}</a> " for n in range(9))
    beside = f"<article><h1>A wall</h1>{story}</article><aside>{TABS.format(links)}</aside>"
    assert "Story 3" not in extract(beside).text
