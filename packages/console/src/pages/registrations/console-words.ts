/** Titles of the ready-made texts, by their field of `generated`. */
export const READY_MADE_TITLES = {
  opt_in_cta: "For the opt-in page",
  privacy_clause: "For the privacy policy",
  sms_terms: "Terms of the texts",
  help_reply: "Answer to HELP",
  stop_reply: "Answer to STOP",
  opt_in_confirmation: "Answer to START",
} as const;

type ReadyMade = keyof typeof READY_MADE_TITLES;

/** Calls of the API and their wording in the console, applied in this order. */
const WORDINGS: readonly (readonly [RegExp, string])[] = [
  [
    /Send your own examples as sample_messages, .* with recheck\./,
    "Replace the drafts under Details with your own examples, or confirm them, then check again.",
  ],
  [/Send (.*) with recheck\./, "Fill in $1 under Details, then check again."],
  [/, and give (?:its|their) address as (\w+)_url\./, ", and give the address under Details."],
  [/\brecheck the registration\b/, "check the registration again"],
  [/\bCall recheck\b/, "Check again"],
  [/\bcall recheck\b/, "check again"],
];

/**
 * Guidance in the words of the console: the server's sentences name fields and calls of the API,
 * which readers of a page see as labels and buttons.
 */
export function consoleWords(text: string): string {
  const said = WORDINGS.reduce((before, [call, wording]) => before.replace(call, wording), text);
  return said
    .replaceAll(/(?:the text of )?\bgenerated\.(\w+)/g, (_, field: ReadyMade) => {
      return `“${READY_MADE_TITLES[field]}” under Ready-made text`;
    })
    .replaceAll(/\b(?:brand|toll_free)\.(\w+)/g, "$1")
    .replaceAll("_", " ");
}
