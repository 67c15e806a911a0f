/**
 * Plain opt-out requests, as data for opt-out-phrases.ts.
 *
 * Every pattern must match a whole sentence or clause, which excludes "stop by tomorrow" and "stop
 * texting me at work". The input is folded, with canonical words (see CANONICAL_WORDS). Repeated
 * groups repeat single, distinct words, so matching cannot backtrack exponentially.
 */

/** Spellings of the same word. Two-word entries are joined before the lookup. */
export const CANONICAL_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    please: "pls plz plss plese pleas pleae plase",
    you: "u",
    your: "ur",
    from: "frm",
    texting: "txting txtng texing textin texitng",
    text: "txt",
    texts: "txts",
    messaging: "msging mesaging messging messeging",
    message: "msg mesage",
    messages: "msgs mesages",
    receive: "recieve",
    receiving: "recieving",
    dont: "dnt donot",
    stop: "stpo sotp tsop stp st0p",
    unsubscribe: "unsub",
    thanks: "thx ty tysm thankyou",
  }).flatMap(([word, spellings]) => spellings.split(" ").map((spelling) => [spelling, word])),
);

/** Expanded contractions, so that "I'd like" equals "I would like". */
export const EXPANSIONS: ReadonlyMap<string, string> = new Map([
  ["im", "i am"],
  ["ive", "i have"],
  ["id", "i would"],
  ["youve", "you have"],
  ["youre", "you are"],
  ["optout", "opt out"],
  ["optingout", "opting out"],
]);

/** Emphasis, removed anywhere in a request: "stop fucking texting me". */
export const EMPHASIS =
  / (?:the fuck|the hell|fucking|fuckin|freaking|frigging|goddamn|god damn|damn)(?= )/g;

/** Words of courtesy and annoyance before or after a request. */
export const COURTESY_BEFORE: readonly string[] =
  "please|kindly|ok|okay|hi|hello|hey|yo|just|now|no|nope|nah|sorry|thanks|thank you|so|also|again|sir|maam|guys|good morning|good afternoon|good evening|for the last time|once again|not interested|i am not interested|no longer interested|i am good|i am all set".split(
    "|",
  );
export const COURTESY_AFTER: readonly string[] =
  "please|thanks|thank you|now|immediately|asap|already|anymore|any more|again|ever|right now|right away|at once|sir|maam|guys|bro|dude|man|buddy|ok|okay|sorry|for good|forever|permanently|from now on|period|seriously|have a nice day|have a good day|god bless|stop|por favor|gracias|svp|sil vous plait|merci".split(
    "|",
  );

/** Openings that address us: a request follows. */
export const ASKING_US: readonly string[] =
  "can you|could you|would you|will you|can you guys|could you guys|can someone|could someone|you need to|you guys need to|you have to|you must|you should|i want you to|i would like you to|i need you to|i am asking you to|i asked you to|i have asked you to|i told you to|i have told you to|i already told you to|i already asked you to|i said|i already said|i demand you|i demand that you|i request that you|i ask that you|i wish you would|why dont you".split(
    "|",
  );

/** Openings about oneself. "I want to stop" may be about smoking, so fewer requests may follow. */
export const ABOUT_ONESELF: readonly string[] =
  "i want to|i would like to|i wish to|i need to|i am trying to|trying to|i have tried to|i tried to|i have asked to|i asked to|i am asking to|i requested to|how do i|how do you|how do we|how can i|how can we|how to|can i|may i|could i|i wanna|want to|would like to|i choose to|i have decided to|tell me how to|is there a way to|let me".split(
    "|",
  );

const OUR_TARGET = "(?:me|us|here|(?:this|my) (?:phone number|cell phone|number|phone|cell|line))";
const ADJECTIVES =
  "(?:(?:these|those|this|that|the|your|my|all|any|more|of|such|so|many|further|future|other|stupid|dumb|annoying|unwanted|unsolicited|political|marketing|automated|promotional|spam|daily|constant|random|text) )*";
const TEXTS_PLURAL = "(?:texts|messages|sms|spam|alerts|notifications)";
const TEXTS = "(?:texts?|messages?|sms|spam|alerts?|notifications?)";
const THINGS_SENT =
  "(?:texts?|messages?|sms|spam|alerts?|notifications?|updates?|reminders?|ads?|promos?|promotions?|offers?|deals|coupons|surveys?|junk|crap|shit|bs|stuff|things|this|these|them|anything)";
const TAIL =
  "(?: (?:on|at|to) (?:this|my) (?:phone number|number|phone|cell|line))?(?: (?:from|by) (?:you guys|you|yall|your company|this company|this number|them))?(?: about (?:this|that|it))?";
const THE_LIST =
  "(?:(?:these|this|that|the|your|all|any|every|of|mailing|texting|contact|calling|call|sms|text|phone|marketing|distribution|subscriber|broadcast|group|messaging|stupid) )*(?:lists?|database|system|contacts|directory|group|chat|thread|texts|messages|sms|alerts|notifications|here|this|these|everything|all|texting|service|program)";
const MY_ENTRY =
  "(?:me|us|(?:my|this|our) (?:phone |cell |mobile )?(?:number|phone|cell|name|info|information|contact))";
const WORDS_UP_TO_8 = "(?: [a-z]+){1,8}";

function anyOf(patterns: readonly string[]): RegExp {
  return new RegExp(`^(?:${patterns.join("|")})$`);
}

/** Counts as a whole sentence, courtesy aside; within one it is too ambiguous. */
export const WHOLE_SENTENCE = anyOf([
  "stop(?: all| it| this)?",
  "stopall",
  "quit it",
  "unsubscribe(?: all)?",
  "opt out",
  "cease(?: and desist)?",
  "desist",
  "remove",
  "no more",
  "no (?:texts|messages)",
  "dont (?:text|contact|message)",
  "go away",
  "(?:fuck|f|eff|piss|buzz) off",
  "get lost",
]);

/** Request to us, as a sentence or as a clause of one. */
export const REQUEST = anyOf([
  // stop texting me
  `(?:stop|quit|cease|discontinue|halt|no more) (?:with the |all )?(?:texting|messaging|spamming|contacting)(?: ${OUR_TARGET})?${TAIL}`,
  `(?:stop|quit) (?:bothering|harassing|annoying|bugging|calling|pestering|soliciting) ${OUR_TARGET}${TAIL}`,
  `(?:stop|quit|cease|discontinue) sending(?: ${OUR_TARGET})?(?: ${ADJECTIVES}${THINGS_SENT})?(?: to ${OUR_TARGET})?${TAIL}`,
  "stop(?: it)? or (?:i|ill|we|well|else)(?: [a-z0-9]+){0,12}",
  // stop these texts
  `(?:stop(?: with)?|enough with|no more|discontinue|halt|unsubscribe(?: me)? from|opt(?: me)? out of) ${ADJECTIVES}${TEXTS}(?: to ${OUR_TARGET})?${TAIL}`,
  `(?:cancel|end|cease|terminate|turn off|disable) ${ADJECTIVES}${TEXTS_PLURAL}(?: to ${OUR_TARGET})?${TAIL}`,
  `i (?:want|need|would like) ${ADJECTIVES}(?:${TEXTS}|this) to (?:stop|end)`,
  `${ADJECTIVES}${TEXTS} (?:needs?|has|have|must)(?: to)? (?:stop|end)`,
  `make (?:it|this|them|these|${ADJECTIVES}${TEXTS}) stop`,
  // don't text me
  `(?:dont|never|no longer) (?:ever )?(?:text|message|contact|bother|spam|harass) ${OUR_TARGET}${TAIL}`,
  `(?:dont|never) (?:ever )?send (?:(?:me|us) ${ADJECTIVES}${THINGS_SENT}|${ADJECTIVES}${TEXTS})(?: to ${OUR_TARGET})?${TAIL}`,
  // I don't want these texts
  `(?:i )?(?:really )?(?:dont|no longer|never) (?:ever )?(?:want|wish|need|care)(?: to (?:keep )?(?:get|getting|receive|receiving|see))? ${ADJECTIVES}${TEXTS}${TAIL}`,
  "(?:i )?(?:dont|no longer|never) (?:ever )?(?:want|wish|care) to hear from (?:you guys|you|yall|your company|this number)",
  `i (?:dont|no longer) (?:want|wish) (?:you|yall|anyone|for you) (?:to )?(?:text|message|contact|bother|texting|messaging|contacting|bothering) ${OUR_TARGET}`,
  "(?:i )?(?:dont|no longer|never) (?:want|wish) to be (?:contacted|texted|messaged|bothered|subscribed|on (?:this|your|the|any|that) (?:[a-z]+ )?lists?)",
  // remove me from your list
  `(?:remove|delete|erase|unsubscribe) ${MY_ENTRY}(?: (?:from|off of|off|out of) ${THE_LIST})?`,
  `(?:drop|cut|scratch|cross) ${MY_ENTRY} (?:from|off of|off) ${THE_LIST}`,
  `(?:remove|take|delete)(?: number)? (?:from|off of|off) ${THE_LIST}`,
  `(?:take|get|pull|strike) ${MY_ENTRY} (?:off|(?:off of|off|out of|from) ${THE_LIST})`,
  `opt ${MY_ENTRY} out(?: (?:of|from) ${THE_LIST})?`,
  `(?:unsubscribe|opt out|opting out) (?:of|from) ${THE_LIST}`,
  `i (?:am )?(?:unsubscribe|unsubscribing|opt out|opting out)(?: (?:of|from) ${THE_LIST})?`,
  `i want (?:off|out)(?: of)? ${THE_LIST}`,
  "(?:put|add) (?:me|us|this number|my number) (?:on|to) (?:your|the|a) dont (?:call|text|contact|message) list",
  "(?:lose|forget) (?:my|this) number",
  "leave (?:me|us) (?:alone|be)",
  // consent
  `(?:i )?(?:hereby )?(?:revoke|withdraw|rescind)(?: (?:my|all|any|prior))* (?:consent|permission|authorization)(?: (?:to|for)${WORDS_UP_TO_8})?`,
  `i dont consent(?: to${WORDS_UP_TO_8})?`,
  "you (?:dont|never|didnt|no longer) (?:have|had)(?: my)? (?:consent|permission)(?: to (?:text|contact|message) (?:me|us|this number))?",
  "if you dont (?:stop|quit) (?:texting|messaging|contacting|sending|bothering|harassing|spamming)(?: [a-z0-9]+){0,24}",
  // Reassigned number: the new owner never agreed to these messages.
  "(?:i think |i believe )?(?:(?:you (?:have|got|have got|guys have|guys got|are texting|texted|must have|reached)|this is|it is|thats) )?(?:the |a )?wrong (?:phone number|number|person)",
]);

/** Requests that may follow ABOUT_ONESELF. */
export const WISH = anyOf([
  `(?:unsubscribe|opt out|get unsubscribed)(?: (?:of|from) ${THE_LIST})?`,
  `be (?:removed|deleted|unsubscribed|opted out|taken off)(?: (?:from|off of|off|of) ${THE_LIST}| ${THE_LIST})?`,
  `get (?:off of|off|out of) ${THE_LIST}`,
  `(?:stop|quit) (?:receiving|getting|seeing) ${ADJECTIVES}${THINGS_SENT}${TAIL}`,
  `(?:stop|cancel|end|turn off) ${ADJECTIVES}${TEXTS}${TAIL}`,
  `revoke(?: my)? (?:consent|permission)`,
  `get you to stop(?: (?:texting|messaging|contacting) ${OUR_TARGET})?`,
]);

/** A message of only these words, one of the strong ones at least, is a repeated STOP. */
export const REPEATED_WORDS: ReadonlySet<string> = new Set(
  "stop stopall unsubscribe cancel end quit revoke opt out all please".split(" "),
);
export const STRONG_WORDS: ReadonlySet<string> = new Set("stop stopall unsubscribe".split(" "));

/** Misspellings that are unambiguous only as the whole message. */
export const WHOLE_TEXT: ReadonlySet<string> = new Set(["stop al", "sto p", "cancle", "cancell"]);
