import { el } from "./dom.js";

/** The little Markdown that our texts use: paragraphs, lists, headings, code, bold, links. */
export function blocks(text) {
  return text
    .trim()
    .split(/\n{2,}/)
    .map((block) => {
      const heading = /^#{1,4} (.*)$/.exec(block);
      if (heading) return el("h4", {}, ...inline(heading[1]));
      const lines = block.split("\n");
      if (lines.every((line) => line.startsWith("- "))) {
        return el("ul", {}, ...lines.map((line) => el("li", {}, ...inline(line.slice(2)))));
      }
      return el("p", {}, ...inline(lines.join(" ")));
    });
}

const MARKS = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

/** A line as text and elements. */
export function inline(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(MARKS)) {
    parts.push(text.slice(end, match.index));
    const [whole, code, bold, label, target] = match;
    if (code !== undefined) parts.push(el("code", {}, code));
    else if (bold !== undefined) parts.push(el("strong", {}, ...inline(bold)));
    else parts.push(isSafe(target) ? el("a", { href: target }, label) : label);
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts.filter((part) => part !== "");
}

function isSafe(target) {
  return /^(https:\/\/|#|\/(?!\/))/.test(target);
}
