/**
 * Folds text to lower case without accents, one character to one. Positions in the folded text are
 * therefore valid in the original: "É" becomes "e", a curly quote a straight one.
 */
const known = new Map<string, string>();

export function fold(text: string): string {
  return text.toLowerCase().length === text.length
    ? text.toLowerCase().replace(BEYOND_ASCII, foldCharacter)
    : Array.from({ length: text.length }, (_, at) => foldCharacter(text.charAt(at))).join("");
}

const BEYOND_ASCII = /[^\p{ASCII}]/gu;

// biome-ignore format: one kind per line
const SPELLED: Readonly<Record<string, string>> = {
  "’": "'", "‘": "'", "ʼ": "'", "´": "'", "`": "'",
  "“": '"', "”": '"', "«": '"', "»": '"',
  "–": "-", "—": "-", "‑": "-", "‐": "-", "−": "-",
  "＆": "&", "ı": "i", "ø": "o", "ł": "l", "đ": "d",
};

function foldCharacter(character: string): string {
  // A character outside the basic plane has two code units and no plain form worth searching.
  if (character.length !== 1) return character;
  let folded = known.get(character);
  if (folded === undefined) {
    const lower = SPELLED[character] ?? character.normalize("NFKD").charAt(0).toLowerCase();
    folded = lower.length === 1 ? lower : character;
    known.set(character, folded);
  }
  return folded;
}
