// Reads Markdown as JSON strings, a line each, and answers with what each reader makes of it, as JSON objects.
// Raw HTML stands in all of them: what slips through unescaped shows.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.argv[2] + "/"));
const load = async (name) => import(pathToFileURL(require.resolve(name)));
const { marked } = await load("marked");
const { unified } = await load("unified");
const [parse, gfm, rehype, raw, stringify, markdownIt, showdown] = (
  await Promise.all(
    ["remark-parse", "remark-gfm", "remark-rehype", "rehype-raw", "rehype-stringify", "markdown-it", "showdown"].map(load),
  )
).map((module) => module.default);

const remark = unified().use(parse).use(gfm).use(rehype, { allowDangerousHtml: true }).use(raw).use(stringify);
const it = markdownIt({ html: true, linkify: true, maxNesting: 1000 });
const plain = new showdown.Converter();
const github = new showdown.Converter();
github.setFlavor("github");
github.setOption("simplifiedAutoLink", false); // takes the tag of an image that follows for a part of the address

const readers = {
  marked: (text) => marked.parse(text),
  remark: (text) => String(remark.processSync(text)),
  "markdown-it": (text) => it.render(text),
  showdown: (text) => plain.makeHtml(text),
  "showdown-github": (text) => github.makeHtml(text),
};

for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.parse(line);
  const read = Object.fromEntries(Object.entries(readers).map(([name, reader]) => [name, reader(text)]));
  process.stdout.write(JSON.stringify(read) + "\n");
}
