import { Problem } from "@longwave/contract";
import { isReserved } from "../../config/reserved-names.ts";

/** What nobody sees, or what moves what others see: control and format characters, line breaks. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;
/** The one format character that has a use: it joins two emoji into one. */
const JOINED_EMOJI =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D(?=\p{Extended_Pictographic})/gu;
/** The full stop of Chinese and Japanese: in an address browsers take it for a dot. */
const IDEOGRAPHIC_DOT = "\u3002";
/** A dot between a letter or digit and two letters: `evil.com`, but not `St. John's`. */
const LIKE_AN_ADDRESS = /[\p{L}\p{N}]\.\p{L}{2,}|\bwww\b|:\/\/|\d+\.\d+\.\d+\.\d+/iu;
/** What could be taken for a code. */
const FOUR_DIGITS = /\p{Nd}{4}/u;

/**
 * Scripts that one name may be written in together. Letters that several share belong to each. Looked
 * through in this order, so the one that most names are written in stands first.
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
/** Letters of no script in particular, such as the micro sign. */
const COMMON = /^\p{scx=Zyyy}$/u;

/** The name as it is shown in the text; whatever could make the text say something else is refused. */
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
  // Full-width letters and dots, digits in circles: what reads like an address or a code is one.
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
