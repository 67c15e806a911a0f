import { Problem } from "@longwave/contract";
import { isReserved } from "../../config/reserved-names.ts";

const ALLOWED = /^[\p{L}\p{M}0-9 \-_.&']+$/u;
/** A dot between a letter or digit and two letters: `evil.com`, but not `St. John's`. */
const LIKE_AN_ADDRESS = /[\p{L}\p{N}]\.\p{L}{2,}|\bwww\b/iu;

/** Scripts that one name may be written in together. */
const SCRIPTS: readonly RegExp[] = [
  /^\p{Script=Latin}$/u,
  /^\p{Script=Cyrillic}$/u,
  /^\p{Script=Greek}$/u,
  /^\p{Script=Arabic}$/u,
  /^\p{Script=Hebrew}$/u,
  /^\p{Script=Devanagari}$/u,
  /^\p{Script=Thai}$/u,
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]$/u,
];
const LETTER = /\p{L}/gu;

/** The name as it is shown in the text; whatever could make the text say something else is refused. */
export function checkAppName(
  given: string | undefined,
  reserved: readonly string[],
): string | null {
  if (given === undefined) return null;
  const name = given.normalize("NFC").trim();
  if (name === "") throw refusal("must not be blank");
  if (!ALLOWED.test(name)) throw refusal("takes letters, digits, spaces and - _ . & ' only");
  if (LIKE_AN_ADDRESS.test(name)) throw refusal("must not look like a web address");
  if (!isOfOneScript(name)) throw refusal("must not mix letters of different scripts");
  if (isReserved(name, reserved)) throw refusal("must not carry the name of somebody else");
  return name;
}

function isOfOneScript(name: string): boolean {
  const letters = name.match(LETTER) ?? [];
  if (letters.length === 0) return true;
  return SCRIPTS.some((script) => letters.every((letter) => script.test(letter)));
}

function refusal(why: string): Problem {
  return new Problem("invalid_request", `app_name ${why}.`, { param: "app_name" });
}
