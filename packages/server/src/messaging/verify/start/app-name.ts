import { Problem } from "@longwave/contract";
import { isReserved } from "../../../core/config/reserved-names.ts";

/** Control and format characters and line breaks: invisible, or they move other characters. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;
/** Zero-width joiner between two emoji: the only format character allowed. */
const JOINED_EMOJI =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D(?=\p{Extended_Pictographic})/gu;
/** Chinese and Japanese full stop; browsers accept it as a dot in host names. */
const IDEOGRAPHIC_DOT = "\u3002";
/** A dot between a letter or digit and two letters: `evil.com`, but not `St. John's`. */
const LIKE_AN_ADDRESS = /[\p{L}\p{N}]\.\p{L}{2}|\bwww\b|:\/\/|\d\.\d+\.\d+\.\d/iu;
/** Digits that a reader could take for a code. */
const FOUR_DIGITS = /\p{Nd}{4}/u;

/**
 * Scripts whose letters one name may combine. Letters shared by several scripts belong to each. Latin
 * is tried first, because most names use it.
 */
const SCRIPTS: readonly RegExp[] = [
  ...[
    ...["Latn", "Arab", "Armn", "Beng", "Cher", "Cyrl", "Deva", "Ethi", "Geor", "Grek", "Gujr"],
    ...["Guru", "Hebr", "Khmr", "Knda", "Laoo", "Mlym", "Mong", "Mymr", "Orya", "Sinh", "Taml"],
    ...["Telu", "Thaa", "Thai", "Tibt"],
  ].map((script) => new RegExp(`^\\p{scx=${script}}$`, "u")),
  /^[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}]$/u,
];
const LETTER = /\p{L}/gu;
/** Letters without a script, such as the micro sign. */
const COMMON = /^\p{scx=Zyyy}$/u;

/** Normalises a name for display in the code message; refuses names that could change its meaning. */
export function checkAppName(
  given: string | undefined,
  reserved: readonly string[],
): string | null {
  if (given === undefined) return null;
  const name = given.normalize("NFC").trim();
  if (name === "") throw refusal("must not be blank");
  if (UNPRINTABLE.test(name.replaceAll(JOINED_EMOJI, ""))) {
    throw refusal("takes printable characters only, without line breaks");
  }
  // NFKC maps full-width letters and dots and circled digits to plain ones.
  const plain = name.normalize("NFKC").replaceAll(IDEOGRAPHIC_DOT, ".");
  if (LIKE_AN_ADDRESS.test(plain)) throw refusal("must not look like a web address");
  if (FOUR_DIGITS.test(plain)) throw refusal("must not have four digits in a row");
  if (!isOfOneScript(name)) throw refusal("must not mix letters of different scripts");
  if (isReserved(name, reserved)) throw refusal("must not carry the name of somebody else");
  return name;
}

function isOfOneScript(name: string): boolean {
  const letters = (name.match(LETTER) ?? []).filter((letter) => !COMMON.test(letter));
  if (letters.length === 0) return true;
  return SCRIPTS.some((script) => letters.every((letter) => script.test(letter)));
}

function refusal(why: string): Problem {
  return new Problem("invalid_request", `app_name ${why}. Name your app as its users know it.`, {
    param: "app_name",
  });
}
