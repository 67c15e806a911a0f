/**
 * Folds look-alike strings into one form: "ＳＴＯＰ", "ЅТОР", "s\u200btop" and "Stöp" all become
 * "stop".
 *
 * For matching only. The service stores and shows the original.
 */

/** Longer than any message from a phone; the rest is ignored. */
const FOLD_CHARS_MAX = 1_600;

/**
 * Look-alikes of Latin letters that Unicode normalisation keeps apart. Capitals and small letters
 * have separate entries because they can differ: Greek Ν looks like N, but ν like v.
 */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: "АаΑαɑᴀᎪ",
  b: "ВвΒʙᏴЬ",
  c: "СсϲϹᴄᏟ",
  d: "ԁԀᴅᎠđĐ",
  e: "ЕеΕεєᴇᎬ",
  f: "ϜꜰƒҒ",
  g: "ɡɢԌᏀ",
  h: "НнΗһҺʜᎻ",
  i: "ІіΙιıɪӀᎥΪ",
  j: "ЈјᴊᎫϳ",
  k: "КкΚκᴋᏦ",
  l: "ӏʟᏞłŁ",
  m: "МмΜᴍᎷ",
  n: "ΝηɴոռИ",
  o: "ОоΟοᴏօՕσøØ",
  p: "РрΡρᴘᏢ",
  q: "ԛԚգ",
  r: "ʀᏒгᎡ",
  s: "ЅѕꜱՏᏚᏕ",
  t: "ТтΤτᴛᎢŧŦ",
  u: "υսᴜՍцᑌ",
  v: "ѵѴνᴠᏙ",
  w: "ԝԜωᴡᎳ",
  x: "ХхΧχ",
  y: "УуΥүҮγʏᎩ",
  z: "ΖᴢᏃ",
};

const lookalikeOf = new Map<string, string>();
for (const [letter, drawnAlike] of Object.entries(LOOKALIKES)) {
  for (const character of drawnAlike) lookalikeOf.set(character, letter);
}
// White letters on black circles and squares, and regional indicators (flags).
for (const firstLetter of [0x1f150, 0x1f170, 0x1f1e6]) {
  for (let i = 0; i < 26; i++) {
    lookalikeOf.set(String.fromCodePoint(firstLetter + i), String.fromCharCode(97 + i));
  }
}

const APOSTROPHES = /[\u2018\u2019\u201b\u02bc\u02b9\u2032\uff07`\u00b4]/g;
/**
 * Accents and invisible characters: zero-width, direction marks, soft hyphens, variation selectors.
 */
const ACCENTS_AND_INVISIBLE = /[\p{M}\p{DI}]/gu;
const BEYOND_ASCII_LETTER = /[^\p{ASCII}]/gu;
const APOSTROPHE_IN_WORD = /(?<=\p{L})'(?=\p{L})/gu;

/**
 * Lower-cases, folds compatibility forms and look-alikes, and removes accents, invisible characters
 * and inner apostrophes.
 */
export function foldText(text: string): string {
  return text
    .slice(0, FOLD_CHARS_MAX)
    .replace(APOSTROPHES, "'")
    .normalize("NFKD")
    .replace(ACCENTS_AND_INVISIBLE, "")
    .replace(BEYOND_ASCII_LETTER, (character) => lookalikeOf.get(character) ?? character)
    .toLowerCase()
    .replace(APOSTROPHE_IN_WORD, "");
}

const WORD = /[\p{L}\p{N}]+/gu;

/** Words of a folded string: runs of letters and digits. */
export function wordsOf(folded: string): string[] {
  return folded.match(WORD) ?? [];
}
