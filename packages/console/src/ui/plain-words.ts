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
const READY_MADE = new RegExp(
  `(?:the text of )?\\bgenerated\\.(${Object.keys(READY_MADE_TITLES).join("|")})\\b`,
  "g",
);

/** Sentences of the server that name calls and fields of the API, with their wording in the console. */
const WORDINGS: readonly (readonly [RegExp, string])[] = [
  [/^phone_number cannot be used\. /, ""],
  [/^The number is a landline$/, "landline"],
  [
    /Ask for a mobile number\. GET \/v1\/lookup\/\{phone\} shows the line type\./,
    "Ask for a mobile number.",
  ],
  [/Landlines cannot receive text messages\./, "Landlines can't receive texts."],
  [/\bLook at carrier_code, correct\b/, "Look at the carrier's code in the timeline, correct"],
  [/\bRecord the opt-in with POST \/v1\/consent\b/, "Add the person's consent"],
  [/\bRecord a new opt-in with POST \/v1\/consent\b/, "Add a new consent"],
  [/\bRaise (it|the limit) with PATCH (?:\/v1)?\/spend-limit\b/, "Raise $1 under Billing"],
  [/\ba number whose sender\.state is active\b/, "a number whose carrier status is active"],
  [/\bUse the id of one that GET \S+ lists\./, "Choose another one."],
  [/\bSend from a number that GET \S+ lists\./, "Send from one of your numbers."],
  [/\bChoose another one from GET \S+?(?=[.,]?(?:\s|$))/, "Choose another one"],
  [/\bLeave customer_id out\b/, "Leave the customer out"],
  [/\bSend a valid key: .*$/, "Use a valid key."],
  [/\bthe scope that required_scope names\b/, "the scope it needs"],
  [/\bquote the request_id\b/, "quote the request id"],
  [
    / \(([a-z]+)_([a-z]+)\)\. Nothing was sent or charged\./,
    " ($1 $2). Nothing was sent or charged.",
  ],
  [/\bGET \/v1\/verify\/decisions shows what it saw\./, "Fraud decisions shows the rules."],
  [/\bGET \/v1\/messages\/\S+ tells .*$/, "Open the message to see the reason."],
  [/\bStart one with POST \/v1\/verify\b/, "Send a code first"],
  [/\bEnter it with POST \/v1\/verified_numbers\b/, "Add it under Settings"],
  [/\bResume it with PATCH \S+\./, "Resume it first."],
  [/: import them with POST \/v1\/contacts\/import\b/, ": import them under Contacts"],
  [/: import them with POST \/v1\/consent\/import\b/, ": import them under Consent"],
  [/ GET \S+ lists them\./, ""],
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
 * A sentence of the server in the words of the console, where its readers see pages, not calls. Other
 * sentences stay as they are: developers and operators look for the names that they gave.
 */
export function plainWords(sentence: string): string {
  return WORDINGS.reduce(
    (before, [call, wording]) => before.replace(call, wording),
    sentence.replaceAll(READY_MADE, (_, field: ReadyMade) => {
      return `“${READY_MADE_TITLES[field]}” under Ready-made text`;
    }),
  );
}

/** Guidance about a registration: what is left of a field's name reads as its label does. */
export function guidanceWords(text: string): string {
  return plainWords(text)
    .replaceAll(/\b(?:brand|toll_free)\.(\w+)/g, "$1")
    .replaceAll("_", " ");
}
