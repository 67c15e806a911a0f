/**
 * Makes texts that read the same be the same: "ＳＴＯＰ", "ЅТОР", "s\u200btop" and "Stöp" all become "stop".
 *
 * For matching only. What is stored and shown is always what the person wrote.
 */

/** More than the longest text a phone can send; the rest of a longer one is not read. */
const FOLD_CHARS_MAX = 1_600;

/**
 * Letters drawn like a Latin one that Unicode normalisation leaves apart, by the letter they are
 * taken for. Capitals and small letters are listed each for itself, because they can differ:
 * Greek Ν is taken for N but ν for v.
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
// White letters on black circles and squares, and the letters that flags are made of.
for (const firstLetter of [0x1f150, 0x1f170, 0x1f1e6]) {
  for (let i = 0; i < 26; i++) {
    lookalikeOf.set(String.fromCodePoint(firstLetter + i), String.fromCharCode(97 + i));
  }
}

const APOSTROPHES = /[\u2018\u2019\u201b\u02bc\u02b9\u2032\uff07`\u00b4]/g;
/** Accents and all that is drawn as nothing: zero-width, direction marks, soft hyphens, variation selectors. */
const ACCENTS_AND_INVISIBLE = /[\p{M}\p{DI}]/gu;
const BEYOND_ASCII_LETTER = /[^\p{ASCII}]/gu;
const APOSTROPHE_IN_WORD = /(?<=\p{L})'(?=\p{L})/gu;

/** Lower case, compatibility forms and look-alikes folded, accents, invisible characters and inner apostrophes gone. */
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

/** The words of a folded text: runs of letters and digits, whatever stands between them. */
export function wordsOf(folded: string): string[] {
  return folded.match(WORD) ?? [];
}
