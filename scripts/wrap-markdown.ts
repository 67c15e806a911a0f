/** Columns of a line of documentation. */
const COLUMNS_MAX = 120;

const FENCE = /^\s*(?:```|~~~)/;
/** Lines that stay as they are: tables, headings, HTML, link definitions, rules. */
const FIXED = /^\s*(?:\||#|<|\[[^\]]+\]:|---)/;
/** Indentation and marker of a list item or quotation. */
const MARKER = /^\s*(?:[-*] |\d+\. |> )?/;
const NEW_BLOCK = /^\s*(?:[-*] |\d+\. |> )/;
/** A hard line break, which wrapping would remove. */
const BREAK = /(?: {2}|\\)$/;

/** Wraps paragraphs and list items with a longer line. Code, tables and single words keep their length. */
export function wrapMarkdown(text: string): string {
  const lines = text.split("\n");
  const wrapped: string[] = [];
  let isCode = false;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    if (FENCE.test(line)) isCode = !isCode;
    const isKept = isCode || isFixed(line);
    const end = isKept ? at + 1 : endOfBlock(lines, at);
    const block = lines.slice(at, end);
    wrapped.push(...(isKept ? block : wrapBlock(block)));
    at = end;
  }
  return wrapped.join("\n");
}

function isFixed(line: string): boolean {
  return line.trim() === "" || FENCE.test(line) || FIXED.test(line);
}

function endOfBlock(lines: readonly string[], start: number): number {
  let end = start + 1;
  while (end < lines.length) {
    const line = lines[end] ?? "";
    if (isFixed(line) || NEW_BLOCK.test(line)) break;
    end += 1;
  }
  return end;
}

function wrapBlock(block: readonly string[]): readonly string[] {
  const isLong = block.some((line) => line.length > COLUMNS_MAX);
  if (!isLong || block.some((line) => BREAK.test(line))) return block;
  const [first = ""] = block;
  const [marker = ""] = MARKER.exec(first) ?? [];
  const indent = marker.includes(">") ? marker : " ".repeat(marker.length);
  const text = [first.slice(marker.length), ...block.slice(1).map((line) => line.trim())].join(" ");
  const lines: string[] = [];
  let line = marker;
  for (const word of wordsOf(text)) {
    const next = line.trim() === marker.trim() ? `${line}${word}` : `${line} ${word}`;
    if (next.length <= COLUMNS_MAX || line.trim() === marker.trim()) line = next;
    else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line];
}

/** Words, with code and the target of a link in one piece. A word that would begin a list stays with the word before. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(/(?:`+[^`]*`+|\]\([^)]*\)|[^\s`])+/g)) {
    const isMarker = /^(?:[-*+>#]+|\d+[.)])$/.test(word);
    const before = isMarker ? words.pop() : undefined;
    words.push(before === undefined ? word : `${before} ${word}`);
  }
  return words;
}
