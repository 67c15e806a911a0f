import { fold } from "../page/fold.ts";

const LEGAL_SUFFIX =
  / (?:inc|incorporated|llc|l l c|ltd|limited|corp|corporation|co|company|gmbh|pllc|pc|p c|plc|lp|llp|sa|s a|sl|s l|sarl|sas|srl|pty|ag|bv)$/;
/** Shorter names match any text by chance once spaces are removed. */
const SQUEEZED_CHARS_MIN = 6;

/** The name as people write it: folded, without punctuation and legal form. */
export function plainName(name: string): string {
  const words = plainWords(name);
  let plain = words;
  for (let shorter = cut(plain); shorter !== plain; shorter = cut(plain)) plain = shorter;
  return plain === "" ? words : plain;
}

function cut(name: string): string {
  return name.replace(LEGAL_SUFFIX, "").trim();
}

export function plainWords(text: string): string {
  return fold(text)
    .replace(/['.]/g, "")
    .replace(/&/g, " and ")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Whether a text names the business, in any spelling of spaces, dots and legal form. */
export function namesBusiness(text: string, businessName: string): boolean {
  const name = plainName(businessName);
  if (name === "") return false;
  const words = ` ${plainWords(text)} `;
  if (words.includes(` ${name} `) || words.includes(` ${name}s `)) return true;
  const withoutThe = name.replace(/^the /, "");
  if (withoutThe !== "" && words.includes(` ${withoutThe} `)) return true;
  const squeezed = withoutThe.replaceAll(" ", "");
  return squeezed.length >= SQUEEZED_CHARS_MIN && words.replaceAll(" ", "").includes(squeezed);
}
