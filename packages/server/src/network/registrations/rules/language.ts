/**
 * Guesses a text's language from its most common words, well enough to tell English from others.
 */
const COMMON_WORDS = {
  English:
    "the and of to you your for with we our is in this are be by on at or from will can it as reply".split(
      " ",
    ),
  Spanish:
    "el la los las de que y para con su una por en del se sus es al usted tu nuestro mensajes".split(
      " ",
    ),
  French:
    "le les des et vous pour une est nous votre avec du dans sur par au aux vos nos ou que".split(
      " ",
    ),
  German: "der die und das mit fur ist sie wir ihr ihre nicht von zu den ein eine auf".split(" "),
  Portuguese: "os as do da para com voce seu sua uma por em nao mais dos das mensagens".split(" "),
} as const;

type Language = keyof typeof COMMON_WORDS;

const languagesOf = new Map<string, Language[]>();
for (const [language, words] of Object.entries(COMMON_WORDS)) {
  for (const word of words) {
    languagesOf.set(word, [...(languagesOf.get(word) ?? []), language as Language]);
  }
}

/** Fewer common words than this are no evidence. */
const COUNTED_WORDS_MIN = 3;
const WORDS_READ_MAX = 20_000;
const LETTERS_MIN = 20;

/** Language of a folded text, `another script`, or null when there is too little text. */
export function languageOf(folded: string): Language | "another script" | null {
  if (isOtherScript(folded)) return "another script";
  const counts = new Map<Language, number>();
  let read = 0;
  for (const [word] of folded.matchAll(/[a-z]+/g)) {
    read += 1;
    if (read > WORDS_READ_MAX) break;
    for (const language of languagesOf.get(word) ?? []) {
      counts.set(language, (counts.get(language) ?? 0) + 1);
    }
  }
  const ranked = [...counts].sort(([, a], [, b]) => b - a);
  const [best] = ranked;
  if (best === undefined || best[1] < COUNTED_WORDS_MIN) return null;
  // Doubt counts as English: a wrong warning is worse than none.
  return (counts.get("English") ?? 0) >= best[1] ? "English" : best[0];
}

function isOtherScript(text: string): boolean {
  const letters = text.slice(0, 20_000).match(/\p{L}/gu) ?? [];
  if (letters.length < LETTERS_MIN) return false;
  const others = letters.filter((letter) => !/\p{Script=Latin}/u.test(letter));
  return others.length * 2 > letters.length;
}
