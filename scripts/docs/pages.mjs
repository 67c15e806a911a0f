// The pages of docs/ as HTML. The sources are trusted; raw HTML in them is still removed.
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { Lexer, Marked } from "marked";
import { tokensOf } from "../../packages/server/src/surfaces/reference/viewer/highlight.js";

/** Folders of docs/ that are served. Decisions are for readers of the source. */
const FOLDERS = ["guides", "", "integrations", "carriers", "errors", "registration-codes"];
/** Pages outside docs/, by path from there, with the name that they are served under. */
const OUTSIDE = new Map([
  ["../deploy/README.md", "deployment"],
  ["../SECURITY.md", "reporting"],
]);

/** Name of docs/README.md, the list of pages in reading order. */
export const INDEX = "guides";

/**
 * Every page with its name ("guides/webhooks"; a README is its folder), title, chapter, sections and HTML. The pages of
 * the index come first, in its order; `chapter` is their heading there, and null for other pages.
 */
export function readPages(docs) {
  const files = [...FOLDERS.flatMap((folder) => markdownIn(docs, folder)), ...OUTSIDE.keys()];
  const names = new Set(files.map(nameOf));
  const chapters = chaptersOf(readFileSync(join(docs, "README.md"), "utf8"));
  const order = [INDEX, ...chapters.keys()];
  const place = ({ name }) => {
    const at = order.indexOf(name);
    return at === -1 ? order.length : at;
  };
  return files
    .map((file) => pageOf(docs, file, names))
    .map((page) => ({ ...page, chapter: chapters.get(page.name) ?? null }))
    .sort((a, b) => place(a) - place(b));
}

/** Chapter of each page that the index links to. */
function chaptersOf(index) {
  const chapters = new Map();
  for (const chapter of index.split(/^## /m).slice(1)) {
    const heading = chapter.split("\n", 1)[0];
    for (const [, file] of chapter.matchAll(/\]\(([\w./-]+\.md)\)/g)) {
      if (!chapters.has(nameOf(file))) chapters.set(nameOf(file), heading);
    }
  }
  return chapters;
}

function markdownIn(docs, folder) {
  return readdirSync(join(docs, folder))
    .filter((name) => name.endsWith(".md"))
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => posix.join(folder, name));
}

function nameOf(file) {
  if (file === "README.md") return INDEX;
  const outside = OUTSIDE.get(file);
  if (outside !== undefined) return outside;
  return basename(file) === "README.md" ? dirname(file) : file.replace(/\.md$/, "");
}

function pageOf(docs, file, names) {
  const markdown = readFileSync(join(docs, file), "utf8").replaceAll(/<!--[\s\S]*?-->\n*/g, "");
  const tokens = new Lexer().lex(markdown);
  const title = tokens.find((token) => token.type === "heading")?.text ?? nameOf(file);
  const lead = tokens.find((token) => token.type === "paragraph")?.text ?? "";
  return {
    name: nameOf(file),
    title: plain(title),
    lead: plain(lead).replaceAll("\n", " "),
    markdown,
    html: rendererFor(file, names).parse(markdown),
    sections: sectionsOf(tokens),
  };
}

/** Words below each heading, for the search. */
function sectionsOf(tokens) {
  const sections = [{ heading: "", anchor: "", depth: 1, text: "" }];
  for (const token of tokens) {
    if (token.type === "heading" && token.depth > 1) {
      sections.push({
        heading: plain(token.text),
        anchor: anchorOf(token.text),
        depth: token.depth,
        text: "",
      });
    } else {
      const last = sections.at(-1);
      last.text = `${last.text} ${plain(token.raw ?? "")}`;
    }
  }
  return sections;
}

function rendererFor(file, names) {
  return new Marked({
    gfm: true,
    renderer: {
      html: () => "",
      image: ({ text }) => escaped(text),
      heading({ tokens, depth, text }) {
        const anchor = anchorOf(text);
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchor}"><a href="#${anchor}">${inner}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = targetOf(href, file, names);
        return target === null ? inner : `<a href="${escaped(target)}">${inner}</a>`;
      },
      code({ text, lang }) {
        return `<pre tabindex="0" data-lang="${escaped(lang ?? "")}"><code>${highlighted(text, lang ?? "")}</code></pre>\n`;
      },
      table(token) {
        const cells = (row, tag) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("");
        const rows = token.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("");
        return `<div class="table"><table><thead><tr>${cells(token.header, "th")}</tr></thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
}

/** Commands that are shown and not run by the test of the code. */
const SHELL_SESSION = "console";

function highlighted(text, language) {
  const name = language === SHELL_SESSION ? "sh" : language;
  return tokensOf(text, name)
    .map(([kind, part]) =>
      kind === "" ? escaped(part) : `<span class="tok-${kind}">${escaped(part)}</span>`,
    )
    .join("");
}

/** Address of a link's target on the server; null when only the source has it. */
function targetOf(href, file, names) {
  if (/^(?:https:\/\/|#|\/)/.test(href)) return href;
  const [path = "", hash] = href.split("#");
  const name = nameOf(posix.join(dirname(file), path).replace(/^\.\.\/docs\//, ""));
  if (!names.has(name)) return null;
  return `/docs/${name}${hash ? `#${hash}` : ""}`;
}

function anchorOf(heading) {
  return plain(heading)
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .trim()
    .replaceAll(/\s+/g, "-");
}

/** Plain text, without Markdown syntax. */
function plain(text) {
  return text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*|]/g, " ")
    .replaceAll(/ {2,}/g, " ")
    .trim();
}

export function escaped(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
