import {
  type RegistrationCode,
  SAMPLE_CHARS_MAX,
  SAMPLE_CHARS_MIN,
  SAMPLES_MAX,
  SAMPLES_MIN,
} from "@longwave/contract";
import { fold } from "../page/fold.ts";
import type { Subject } from "../site.ts";
import { PROHIBITED } from "./content-words.ts";
import { excerptOf, type Observation, quote } from "./finding.ts";
import { languageOf } from "./language.ts";
import { namesBusiness, plainName, plainWords } from "./names.ts";
import { linkDomain, linksOf } from "./sample-links.ts";
import { domainOf } from "./website-rules.ts";

/** Rule on a single example: returns a problem, or null. */
export interface SampleRule {
  readonly code: RegistrationCode;
  /** Whether the use case requires it. */
  readonly appliesTo?: (subject: Subject) => boolean;
  readonly problem: (sample: Sample, subject: Subject) => Problem | null;
}

/** Rule on the examples together. */
export interface SampleSetRule {
  readonly code: RegistrationCode;
  readonly see: (samples: readonly Sample[], subject: Subject) => Observation | null;
}

export interface Sample {
  readonly text: string;
  readonly folded: string;
  readonly chars: number;
}

interface Problem {
  readonly detail: string;
  readonly excerpt: string | null;
}

export function sampleOf(text: string): Sample {
  return { text, folded: fold(text), chars: [...text].length };
}

export const SAMPLE_RULES: readonly SampleRule[] = [
  {
    code: "samples.too_short",
    problem: ({ text, chars }) =>
      [...text.trim()].length < SAMPLE_CHARS_MIN
        ? said(`It has ${chars} characters, fewer than ${SAMPLE_CHARS_MIN}.`)
        : null,
  },
  {
    code: "samples.too_long",
    problem: ({ chars }) =>
      chars > SAMPLE_CHARS_MAX
        ? said(`It has ${chars} characters, more than ${SAMPLE_CHARS_MAX}.`)
        : null,
  },
  {
    code: "samples.name_missing",
    problem: ({ text }, { businessName }) =>
      namesBusiness(text, businessName)
        ? null
        : said(`It does not name “${plainNameShown(businessName)}”.`),
  },
  { code: "samples.template", problem: (sample) => match(sample, VARIABLE) },
  { code: "samples.placeholder", problem: (sample) => match(sample, FILLER) },
  {
    code: "samples.shortener",
    problem: (sample) => badLink(sample, (domain) => SHORTENERS.has(domain)),
  },
  {
    code: "samples.link_domain",
    problem: (sample, { website }) => {
      const site = domainOf(website);
      return badLink(sample, (domain) => domain !== site && !SHORTENERS.has(domain));
    },
  },
  { code: "samples.link_insecure", problem: (sample) => match(sample, /\bhttp:\/\/\S+/) },
  {
    code: "samples.mismatch",
    appliesTo: ({ useCase }) => !ADVERTISES.has(useCase),
    problem: (sample) => match(sample, OFFER),
  },
  {
    code: "samples.code_link",
    appliesTo: ({ useCase }) => useCase === "2fa",
    problem: (sample) => badLink(sample, () => true),
  },
  {
    code: "samples.shouting",
    problem: ({ text }) => {
      const letters = text.match(/\p{L}/gu) ?? [];
      const capitals = text.match(/\p{Lu}/gu) ?? [];
      const isLoud =
        letters.length >= SAMPLE_CHARS_MIN && capitals.length > letters.length * CAPITALS_SHARE_MAX;
      return isLoud ? said(`${capitals.length} of ${letters.length} letters are capitals.`) : null;
    },
  },
  { code: "samples.sensitive_data", problem: (sample) => match(sample, SECRETS) },
  { code: "samples.urgency", problem: (sample) => match(sample, PRESSING) },
  ...PROHIBITED.map(([code, words]): SampleRule => {
    const expression = new RegExp(words.source);
    return { code, problem: (sample) => match(sample, expression) };
  }),
  {
    code: "language.not_english",
    problem: ({ folded }) => {
      const language = languageOf(folded);
      return language === null || language === "English" ? null : said(`It reads as ${language}.`);
    },
  },
];

export const SAMPLE_SET_RULES: readonly SampleSetRule[] = [
  {
    code: "samples.count",
    see: (samples) => ({
      holds: samples.length >= SAMPLES_MIN && samples.length <= SAMPLES_MAX,
      detail: `There ${samples.length === 1 ? "is 1 example" : `are ${samples.length} examples`}; ${SAMPLES_MIN} to ${SAMPLES_MAX} are needed.`,
    }),
  },
  {
    code: "samples.opt_out_missing",
    see: (samples, { useCase }) => {
      if (!MUST_SAY_STOP.has(useCase)) return null;
      const found = samples.find(
        ({ text, folded }) => OPT_OUT.test(folded) || /\bSTOP\b/.test(text),
      );
      if (found === undefined)
        return { holds: false, detail: "None of the examples says how to stop." };
      return { holds: true, detail: "An example says how to stop.", excerpt: found.text };
    },
  },
  {
    code: "samples.code_missing",
    see: (samples, { useCase }) => {
      if (useCase !== "2fa") return null;
      const found = samples.find(({ text }) => CODE.test(text));
      if (found === undefined)
        return { holds: false, detail: "None of the examples has a code of 4 to 8 digits." };
      return { holds: true, detail: "An example has a code.", excerpt: found.text };
    },
  },
  {
    code: "samples.use_case_missing",
    see: (samples, { useCase }) => {
      if (useCase !== "mixed" || samples.length < SAMPLES_MIN) return null;
      const offers = samples.filter(({ folded }) => OFFER.test(folded)).length;
      const isMixed = offers > 0 && offers < samples.length;
      return {
        holds: isMixed,
        detail: `${offers} of ${samples.length} examples advertise; mixed use has some that do and some that do not.`,
      };
    },
  },
  { code: "samples.duplicate", see: seeDuplicate },
];

const MUST_SAY_STOP = new Set<string>(["marketing", "mixed"]);
const ADVERTISES = new Set<string>(["marketing", "mixed", "low_volume"]);
const CAPITALS_SHARE_MAX = 0.6;
const LIKENESS_MAX = 0.8;

const VARIABLE =
  /\{\{[^{}\n]{0,60}\}\}|\{[a-z_][\w .]{0,40}\}|\[[a-z][a-z0-9 _'-]{0,40}\]|\$\{[^}\n]{0,40}\}|<[a-z][a-z _]{1,30}>|%(?:s|d|@)\b|%[a-z_]{2,30}%|(?:^|\s)#[a-z_]{2,30}#/i;
const FILLER =
  /\blorem ipsum\b|\b(?:this is )?a? ?(?:test|sample|example) (?:message|text|sms)\b|\bplaceholder\b|\b(?:xxx+|tbd|todo|foo ?bar)\b|\basdf\w*\b|\bmensaje de (?:prueba|ejemplo)\b|\bmessage (?:de test|d'exemple)\b/;
const OFFER =
  /\b\d{1,2} ?% (?:off|de descuento|de rabais|de reduction)\b|\b(?:sale|discount|coupon|promo(?:tion)?|special offer|limited time|deal|deals|buy one|bogo|free shipping|save \$?\d+|shop now|order now|oferta|descuento|rebajas|compra ahora|soldes|rabais|offre speciale|achetez)\b/;
const OPT_OUT =
  /\b(?:reply|text|send|txt|responda|responde|envie|envia|repondez|envoyez|textez)\b[^.\n]{0,20}\b(?:stop|end|quit|cancel|unsubscribe|alto|arret|baja)\b|\b(?:stop|unsubscribe) (?:to|2|=|para|pour)\b|\bopt[- ]?out\b/;
const CODE = /(?<![\d$.,-])\d{4,8}(?![\d%]|[.,-]\d)|(?<!\d)\d{3}[- ]\d{3}(?![\d-])/;
const SECRETS =
  /\b(?:reply|send|text|confirm|provide|enter|give)\b[^.\n]{0,40}\b(?:password|ssn|social security|card number|cvv|pin number|account number|contrasena|mot de passe)\b/;
const PRESSING =
  /\b(?:act now|you(?:'ve| have)? (?:been selected|won)|claim your (?:prize|reward|gift)|risk[- ]free|100% free|winner|congratulations[,!]? you|urgent(?:ly)? respon|has ganado|vous avez gagne)\b/;

const SHORTENERS = new Set(
  (
    "bit.ly tinyurl.com t.co goo.gl ow.ly is.gd buff.ly rebrand.ly cutt.ly shorturl.at rb.gy tiny.cc bl.ink short.io " +
    "lnkd.in t.ly v.gd adf.ly soo.gd s.id trib.al dlvr.it"
  ).split(" "),
);

function said(detail: string): Problem {
  return { detail, excerpt: null };
}

function match({ text, folded }: Sample, expression: RegExp): Problem | null {
  const found = expression.exec(folded);
  if (found === null) return null;
  const excerpt = excerptOf(text, found.index, found.index + found[0].length);
  return {
    detail: `Found: ${quote(text.slice(found.index, found.index + found[0].length).trim())}`,
    excerpt,
  };
}

function badLink(sample: Sample, isBad: (domain: string) => boolean): Problem | null {
  const link = linksOf(sample.text).find((each) => isBad(linkDomain(each)));
  return link === undefined ? null : { detail: `The link is ${link}.`, excerpt: link };
}

function plainNameShown(name: string): string {
  return plainName(name) === plainWords(name) ? name : `${name}” or “${plainName(name)}`;
}

function seeDuplicate(samples: readonly Sample[]): Observation | null {
  if (samples.length < SAMPLES_MIN) return null;
  const sets = samples.map(
    ({ text }) =>
      new Set(
        plainWords(text)
          .split(" ")
          .filter((word) => !/^\d+$/.test(word)),
      ),
  );
  for (const [first, one] of sets.entries()) {
    for (const [offset, other] of sets.slice(first + 1).entries()) {
      if (likeness(one, other) <= LIKENESS_MAX) continue;
      const second = first + 1 + offset;
      return {
        holds: false,
        detail: `Examples ${first + 1} and ${second + 1} are nearly the same.`,
        excerpt: samples[second]?.text ?? null,
      };
    }
  }
  return { holds: true, detail: "Each example is another text." };
}

/** Jaccard similarity of the words of two strings. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((word) => other.has(word)).length;
  const all = one.size + other.size - common;
  return all === 0 ? 1 : common / all;
}
