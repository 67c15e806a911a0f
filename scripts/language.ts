/**
 * Finds prose that breaks the house language (docs/glossary.md): comments, test titles, log messages, help texts,
 * descriptions and Markdown with a sentence that opens with a pronoun, or with a word that the glossary replaces.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Prose {
  readonly line: number;
  readonly text: string;
  readonly kind: "comment" | "title" | "log" | "help" | "heading" | "paragraph" | "table";
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly problem: string;
  readonly text: string;
}

/** Openers that make a reader parse the whole sentence before learning its subject. */
const OPENER = /^(?:What|Whoever|Whomever|Who|Whom|Whose|Those|Of|That|Where|One that)\b/i;

/** Words with a replacement, as docs/glossary.md lists them. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/\bwho(?:m)?ever\b/i, "name the agent"],
  [/\bdeal(?:s|t|ing)? with\b/i, "process, handle"],
  [/\bsets? aside\b/i, "quarantine"],
  [/\bin halves\b/i, "bisect on failure"],
  [/\bforgo(?:es|ne|ing)?\b/i, "cancel"],
  [/\brehears\w+/i, "warm up"],
  [/\bpatien(?:ce|t|tly)\b/i, "retry, deadline, stall detector"],
  [/\b(?:stubborn|persistent)ly\b/i, "retry with named options"],
  [/\bheed(?:s|ed|ing)?\b/i, "handle"],
  [/\b(?:is|are|was|were|be|been|being) (?:told|said|looked at|looked after)\b/i, "name the agent"],
  [/\b(?:is|are|was|were|be|been) tried again\b/i, "retry, with the agent"],
  [/\b(?:tells?|told|hears?|heard) of\b/i, "emit, append, log, notify"],
  [
    /(?<!out|notwith|long-|under)\bstandings?\b(?! in| at| by| alone)/i,
    "balance, sender state, summary",
  ],
  [/\bdoors?\b/i, "target, client, Twilio-compatible API"],
  [/\bjudg(?:e|es|ed|ing)\b/i, "validate, score, classify, check"],
  [/\bhand(?:s|ed|ing)?[- ]?over\b/i, "submit, outbound"],
  [/\bstrangers?\b/i, "anonymous client, untrusted input"],
  [/\bbeaten\b/i, "heartbeat"],
  [/\btraveller/i, "run cursor"],
  [/\btold\b/i, "emit, append, log, notify"],
  [
    /\b(?:is|are|was|were|be|been|being) asked\b(?! (?:for|to))/i,
    "call, prompt, require, with the agent",
  ],
  [/\bin turn\b/i, "one after another"],
  [/\b(?:go|goes|going|gone|went) on\b/i, "continue"],
  [/\bbrings? nothing\b/i, "name what is missing"],
];

/** Log messages are `component: event`, so that an operator can grep for a component. */
const LOG_FORM = /^[a-z][a-z0-9-]*: \S/;

const BLOCK_COMMENT = /^[ \t]*\{?\/\*\*?(?!\/)([\s\S]*?)\*\//gm;
const LINE_COMMENTS = /^[ \t]*\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/gm;
const TRAILING_COMMENT = /\S[ \t]+\/\/ ([^\n"'`]+)$/gm;
const TITLE = /\b(?:test|it|describe|t\.test|suite)(?:\.\w+)?\(\s*(["'`])((?:(?!\1)[^\n])*)\1/g;
const LOG =
  /\blog(?:ger)?\??\.(?:trace|debug|info|warn|error|fatal)\(\s*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\},\s*|\w+,\s*)?(["`])((?:(?!\1)[^\n])*)\1/g;
/** Help of the command line, and descriptions of the contract. */
const HELP = [
  /\.(?:summary|description|argument|option|helpOption)\(\s*(?:"[^"\n]*",\s*)?(["`])((?:(?!\1)[^\n])*)\1/g,
  /\b(?:summary|description|explanation|fix|title|passes|next_step|after|why|what_happened):\s*(["`])((?:(?!\1)[^\n])*)\1/g,
];
/** Meaning of a setting: the last argument, on the setting's own line. */
const SETTING = /\bsetting\(.*"([^"\n]+)"\),$/gm;
const DIRECTIVE = /^(?:@ts-|biome-ignore|eslint-|prettier-|#region|v8 ignore|istanbul)/;

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1))
    line++;
  return line;
}

function unwrapped(comment: string): string {
  const bare = comment.replaceAll(/^[ \t]*(?:\/\/+|\*+|--+|#+)[ \t]?/gm, "");
  return bare.replaceAll(/\s+/g, " ").trim();
}

function matches(text: string, pattern: RegExp, kind: Prose["kind"], group: number): Prose[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const prose = unwrapped(match[group] ?? match[0]);
    if (prose === "" || DIRECTIVE.test(prose)) return [];
    return [{ line: lineAt(text, match.index), text: prose, kind }];
  });
}

/** Comments, test titles and log messages of a TypeScript or JavaScript file. */
function proseOfCode(text: string): Prose[] {
  return [
    ...matches(text, BLOCK_COMMENT, "comment", 1),
    ...matches(text, LINE_COMMENTS, "comment", 0),
    ...matches(text, TRAILING_COMMENT, "comment", 1),
    ...matches(text, TITLE, "title", 2),
    ...matches(text, LOG, "log", 2),
    ...HELP.flatMap((pattern) => matches(text, pattern, "help", 2)),
    ...matches(text, SETTING, "help", 1),
  ];
}

function proseOfSql(text: string): Prose[] {
  return matches(text, /^[ \t]*--[^\n]*(?:\n[ \t]*--[^\n]*)*/gm, "comment", 0);
}

/** Comments of YAML, shell and Python files, and Python's doc strings. */
function proseOfScript(text: string): Prose[] {
  return [
    ...matches(text, /^[ \t]*#(?!!)[^\n]*(?:\n[ \t]*#[^\n]*)*/gm, "comment", 0),
    ...matches(text, /^[ \t]*"""([\s\S]*?)"""/gm, "comment", 1),
  ];
}

const ITEM_START = /^\s*(?:[-*] |\d+\. |>)/;

/** Headings, paragraphs, list items and table rows, without code blocks and inline code. */
function proseOfMarkdown(text: string): Prose[] {
  const found: Prose[] = [];
  let isCode = false;
  let isOpen = false;
  for (const [index, line] of text.split("\n").entries()) {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    const bare = line.replaceAll(/`[^`]*`/g, "``").replaceAll(/\]\([^)]*\)/g, "]");
    if (isFence || isCode || bare.trim() === "") {
      isOpen = false;
      continue;
    }
    const prose = bare.replace(/^(?:[\s#>*|-]|\d+\. )+/, "").replaceAll("**", "");
    const kind = markdownKind(bare);
    const last = found.at(-1);
    if (isOpen && last && kind === "paragraph" && !ITEM_START.test(bare)) {
      found[found.length - 1] = { ...last, text: `${last.text} ${prose}` };
    } else {
      found.push({ line: index + 1, text: prose, kind });
    }
    isOpen = kind === "paragraph";
  }
  return found;
}

function markdownKind(line: string): Prose["kind"] {
  if (/^#+ /.test(line)) return "heading";
  return /^\s*\|/.test(line) ? "table" : "paragraph";
}

function proseOf(path: string, text: string): Prose[] {
  if (path.endsWith(".md")) return proseOfMarkdown(text);
  if (path.endsWith(".sql")) return proseOfSql(text);
  if (/\.(?:ya?ml|sh|py)$/.test(path)) return proseOfScript(text);
  return proseOfCode(text);
}

/** A name between backticks or quotes is code or a quotation, not prose. */
function withoutQuoted(text: string): string {
  return text.replaceAll(/`[^`]*`|"[^"]*"|“[^”]*”/g, '""');
}

/** Sentences of a text; a title or a log message is one. */
function sentencesOf({ kind, text }: Prose): string[] {
  if (kind === "table") return [];
  return text.split(/(?<=[.!?]["')]?)\s+(?=["'(]?[A-Z])/);
}

function problemsOf(prose: Prose): string[] {
  const { kind, text } = prose;
  const plain = withoutQuoted(text);
  const problems: string[] = [];
  for (const sentence of sentencesOf({ ...prose, text: plain })) {
    const opener = OPENER.exec(sentence);
    if (!opener || (kind !== "heading" && sentence.endsWith("?"))) continue;
    problems.push(`${kind} opens with "${opener[0]}": name the thing first`);
  }
  for (const [word, instead] of REPLACED) {
    const found = word.exec(plain);
    if (found) problems.push(`"${found[0]}": write ${instead}`);
  }
  if (kind === "log" && !LOG_FORM.test(text))
    problems.push("log message is not `component: event`");
  return problems;
}

/** Problems of one file, in the order of its lines. */
export function languageProblems(path: string, text: string): Finding[] {
  const prose = proseOf(path, text).sort((a, b) => a.line - b.line);
  return prose.flatMap((one) =>
    problemsOf(one).map((problem) => ({ path, line: one.line, problem, text: one.text })),
  );
}

const CHECKED = /\.(?:tsx?|m?js|sql|md|ya?ml|sh|py|css)$/;
/** Generated from tables that are checked themselves, written by other parties, or examples of refused prose. */
const EXEMPT = [
  /(?:^|\/)generated\//,
  /^packages\/server\/fixtures\//,
  /\.min\.js$/,
  /^scripts\/language\.test\.ts$/,
];

/** Problems of the repository's files below `paths`, untracked files included. */
export function languageProblemsBelow(root: string, paths: readonly string[]): Finding[] {
  const listed = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...paths],
    { cwd: root, encoding: "utf8" },
  );
  return (
    listed
      .split("\n")
      .filter((path) => CHECKED.test(path) && !EXEMPT.some((exempt) => exempt.test(path)))
      // A deleted file stays in the index until its commit.
      .filter((path) => existsSync(join(root, path)))
      .flatMap((path) => languageProblems(path, readFileSync(join(root, path), "utf8")))
  );
}
