// Reads Markdown as JSON strings, a line each, and answers with what each reader makes of it, as JSON objects.
// Flavours are as they are shipped, but that raw HTML stands in all of them: what slips through unescaped shows.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.argv[2] + "/"));
const load = async (name) => import(pathToFileURL(require.resolve(name)));
const { marked } = await load("marked");
const { unified } = await load("unified");
const { micromark } = await load("micromark");
const { gfm: gfmSyntax, gfmHtml } = await load("micromark-extension-gfm");
const commonmark = await load("commonmark");
const { Remarkable } = await load("remarkable");
const [parse, gfm, rehype, raw, stringify, markdownIt, showdown] = (
  await Promise.all(
    ["remark-parse", "remark-gfm", "remark-rehype", "rehype-raw", "rehype-stringify", "markdown-it", "showdown"].map(load),
  )
).map((module) => module.default);

const remark = (...more) => {
  const processor = unified().use(parse);
  more.forEach((plugin) => processor.use(plugin));
  processor.use(rehype, { allowDangerousHtml: true }).use(raw).use(stringify);
  return (text) => String(processor.processSync(text));
};
const it = (...given) => {
  const reader = markdownIt(...given);
  return (text) => reader.render(text);
};
const flavour = (name) => {
  const converter = new showdown.Converter();
  converter.setFlavor(name);
  return (text) => converter.makeHtml(text);
};
const unsafe = { allowDangerousHtml: true };
const remarkable = (...given) => {
  const reader = new Remarkable(...given);
  return (text) => reader.render(text);
};
const written = new commonmark.HtmlRenderer();

const readers = {
  marked: (text) => marked.parse(text),
  "marked-plain": (text) => marked.parse(text, { gfm: false }),
  "marked-breaks": (text) => marked.parse(text, { breaks: true }),
  "marked-pedantic": (text) => marked.parse(text, { pedantic: true }),
  remark: remark(),
  "remark-gfm": remark(gfm),
  micromark: (text) => micromark(text, unsafe),
  "micromark-gfm": (text) => micromark(text, { ...unsafe, extensions: [gfmSyntax()], htmlExtensions: [gfmHtml()] }),
  "markdown-it": it(),
  "markdown-it-html": it({ html: true, linkify: true, typographer: true }),
  "markdown-it-commonmark": it("commonmark"),
  "markdown-it-zero": it("zero"),
  ...Object.fromEntries(
    ["vanilla", "original", "ghost", "github"].map((name) => [`showdown-${name}`, flavour(name)]),
  ),
  "commonmark.js": (text) => written.render(new commonmark.Parser().parse(text)),
  remarkable: remarkable({ html: true }),
  "remarkable-full": remarkable("full", { html: true }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.parse(line);
  const read = Object.fromEntries(Object.entries(readers).map(([name, reader]) => [name, reader(text)]));
  process.stdout.write(JSON.stringify(read) + "\n");
}
