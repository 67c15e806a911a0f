/** Colours for code, in the page and in the build of the guides. No DOM in here. */

const DOUBLE = String.raw`"(?:[^"\\\n]|\\.)*"`;
const SINGLE = String.raw`'(?:[^'\\\n]|\\.)*'`;
const HASH = String.raw`(?<=^|\s)#.*`;
const SLASHES = String.raw`(?<=^|\s)//.*`;
const NUMBER = String.raw`(?<![\w.:-])-?\d+(?:\.\d+)?(?![\w.:-])`;
const FLAG = String.raw`(?<=\s)--?[A-Za-z][\w-]*`;

/** Comments, strings and words of each language. JSON inside a quoted body is coloured as JSON. */
// biome-ignore format: one language per line, read as a table
const LANGUAGES = {
  sh:     { comment: HASH,    string: DOUBLE,                 name: FLAG, words: "curl longwave npm npx node export cat docker helm systemctl pg_dump psql cd sh" },
  ts:     { comment: SLASHES, string: `${DOUBLE}|${SINGLE}`, words: "import from export const let await async new for of if else return function class extends override throw break continue true false null undefined" },
  json:   {                   string: DOUBLE,                 words: "true false null" },
  python: { comment: HASH,    string: `${DOUBLE}|${SINGLE}`, words: "import from def return if not in for or and with as True False None" },
  go:     { comment: SLASHES, string: DOUBLE,                 words: "package import func var return if for range switch case defer nil true false" },
  php:    { comment: SLASHES, string: `${DOUBLE}|${SINGLE}`, words: "echo new true false null function return" },
  ruby:   { comment: HASH,    string: `${DOUBLE}|${SINGLE}`, words: "require do end puts nil true false def if" },
  java:   { comment: SLASHES, string: DOUBLE,                 words: "import public static void class throws new var return true false null" },
  csharp: { comment: SLASHES, string: DOUBLE,                 words: "using var new await return true false null" },
  sql:    { comment: "--.*",  string: SINGLE,                 words: "select insert update delete create grant revoke role database from where on to with in all tables schema alter owner as table" },
  ini:    { comment: HASH,    string: DOUBLE,                 words: "" },
  yaml:   { comment: HASH,    string: `${DOUBLE}|${SINGLE}`, words: "true false null" },
};
const ALIASES = {
  js: "ts",
  javascript: "ts",
  typescript: "ts",
  bash: "sh",
  yml: "yaml",
  nginx: "ini",
};

const patterns = new Map();

function patternOf(name) {
  const made = patterns.get(name);
  if (made) return made;
  const { comment, string, name: flag, words } = LANGUAGES[name];
  const isShell = name === "sh";
  const kinds = [
    comment ? `(?<comment>${comment})` : null,
    `(?<string>${string})(?=(?<colon>\\s*:(?!:))?)`,
    flag ? `(?<flag>${flag})` : null,
    isShell ? null : `(?<number>${NUMBER})`,
    words ? `(?<word>(?<![\\w.$-])(?:${words.replaceAll(" ", "|")})(?![\\w:-]))` : null,
  ];
  const pattern = new RegExp(kinds.filter((kind) => kind !== null).join("|"), "gm");
  patterns.set(name, pattern);
  return pattern;
}

/** Parts of the code in order: `[kind, text]`, with an empty kind for what has no colour. */
export function tokensOf(code, language) {
  const name = ALIASES[language] ?? language;
  if (!Object.hasOwn(LANGUAGES, name)) return [["", code]];
  const parts = [];
  let end = 0;
  for (const match of code.matchAll(patternOf(name))) {
    const { comment, string, colon, flag, number } = match.groups;
    if (match.index > end) parts.push(["", code.slice(end, match.index)]);
    parts.push([kindOf({ comment, string, colon, flag, number }), match[0]]);
    end = match.index + match[0].length;
  }
  if (end < code.length) parts.push(["", code.slice(end)]);
  return parts;
}

function kindOf({ comment, string, colon, flag, number }) {
  if (comment !== undefined) return "comment";
  if (string !== undefined) return colon === undefined ? "string" : "key";
  if (flag !== undefined) return "key";
  return number === undefined ? "word" : "number";
}
