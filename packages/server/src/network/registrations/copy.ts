/** Copy generated from a registration: for the website, for keyword replies and for filing. */
import {
  BRAND_FIELDS,
  HELP_KEYWORDS,
  OPT_IN_KEYWORD_IF_OPTED_OUT,
  OPT_IN_KEYWORDS,
  OPT_OUT_KEYWORDS,
  type Registration,
  SAMPLES_MAX,
  SAMPLES_MIN,
} from "@longwave/contract";
import { campaignFlags } from "./campaign-flags.ts";
import type { Given, RegistrationRow } from "./registration-row.ts";
import { checkSamples } from "./rules/check.ts";
import type { Subject, UseCase } from "./site.ts";
import { missingTollFreeFields } from "./toll-free.ts";

type Generated = Registration["generated"];

// biome-ignore format: one use case per line
const ABOUT: Readonly<Record<UseCase, string>> = {
  "2fa": "one-time codes for signing in",
  account_notification: "notices about your account and appointments",
  customer_care: "answers to your questions",
  delivery_notification: "updates on your orders and deliveries",
  fraud_alert: "alerts about suspicious activity on your account",
  higher_education: "news and reminders from campus",
  marketing: "offers and news",
  mixed: "reminders, updates and offers",
  polling_voting: "surveys and polls",
  public_service_announcement: "announcements for the public",
  security_alert: "security alerts",
  low_volume: "updates and reminders",
};

const STOP = "Reply STOP to opt out.";

// biome-ignore format: two drafts per use case
const DRAFTS: Readonly<Record<UseCase, (name: string) => readonly [string, string]>> = {
  "2fa": (name) => [`${name}: 482913 is your code. It expires in 10 minutes. We will never ask you for it.`, `Use 150872 to sign in to ${name}. If this was not you, please ignore this text.`],
  account_notification: (name) => [`${name}: your appointment is tomorrow at 2:30 PM. Reply C to confirm or call us to move it.`, `${name}: your statement for October is ready. Sign in on our website to read it.`],
  customer_care: (name) => [`${name}: thank you for your question. We will call you back before noon tomorrow.`, `${name}: your request 2041 is solved. Write back here if anything is left open.`],
  delivery_notification: (name) => [`${name}: your order 4471 has left our warehouse and arrives on Thursday.`, `${name}: the driver could not reach you today. We will come again tomorrow between 9 and 11.`],
  fraud_alert: (name) => [`${name}: did you pay $84.20 at a store in Reno today? Reply YES or NO.`, `${name}: we stopped a payment on your account that did not look like you. Please call us.`],
  higher_education: (name) => [`${name}: the library closes at 5 PM on Friday and opens again on Monday.`, `${name}: registration for the spring term begins on November 30 at 8 AM.`],
  marketing: (name) => [`${name}: our autumn sale starts today, 20% off until Sunday. ${STOP}`, `${name}: new arrivals are in the store. Come by this weekend to see them. ${STOP}`],
  mixed: (name) => [`${name}: your appointment is tomorrow at 10 AM. Call us if you need another time. ${STOP}`, `${name}: this week only, 15% off everything in the store. ${STOP}`],
  polling_voting: (name) => [`${name}: how was your visit? Answer 1 (poor) to 5 (great), it takes a second.`, `${name}: the poll on the new park closes on Friday. Reply A for trees, B for benches.`],
  public_service_announcement: (name) => [`${name}: Main Street is closed on Saturday from 8 AM to noon for repairs.`, `${name}: a storm is expected tonight. Shelters open at Lincoln School at 6 PM.`],
  security_alert: (name) => [`${name}: a new device signed in to your account at 4:12 PM. Was it you? Reply YES or NO.`, `${name}: your password was changed today. If it was not you, call us at once.`],
  low_volume: (name) => [`${name}: your order is ready and waits for you at the counter until 6 PM.`, `${name}: we are closed on Monday and open again on Tuesday at nine. ${STOP}`],
};

export function subjectOf(row: RegistrationFields): Subject {
  const { contact_email, street, ein } = row.given.brand;
  return {
    businessName: row.business_name,
    website: row.website,
    useCase: row.use_case,
    brand: {
      ...(contact_email ? { contactEmail: contact_email } : {}),
      ...(street ? { street } : {}),
      ...(ein ? { ein } : {}),
    },
  };
}

export type RegistrationFields = Pick<
  RegistrationRow,
  "kind" | "business_name" | "website" | "use_case" | "given"
>;

/** Starter examples: the customer's own if they pass the rules, else generated ones. */
export function starterMessages(row: RegistrationFields): string[] {
  const subject = subjectOf(row);
  const own = (row.given.starter_messages ?? []).filter((text) => passes(text, subject));
  const ours = DRAFTS[row.use_case](row.business_name);
  const drafts = own.length >= SAMPLES_MIN ? own : [...own, ...ours].slice(0, SAMPLES_MAX);
  return [...new Set(drafts)];
}

function passes(text: string, subject: Subject): boolean {
  return checkSamples([text], subject).findings.every(
    ({ level, index }) => level !== "fail" || index === null,
  );
}

/** Examples as filed with the registry. */
export function filedSamples(row: RegistrationFields): readonly string[] {
  return row.given.sample_messages ?? starterMessages(row);
}

export function repliesOf({ business_name: name, given }: RegistrationFields): {
  readonly help: string;
  readonly stop: string;
  readonly start: string;
} {
  const contact = given.support_email
    ? `write to ${given.support_email}`
    : "contact us on our website";
  return {
    help: `${name}: for help, ${contact}. Msg frequency varies. Msg & data rates may apply. Reply STOP to cancel.`,
    stop: `${name}: you are unsubscribed and will get no more messages. Reply START to resubscribe.`,
    start: `${name}: you are subscribed. Msg frequency varies. Msg & data rates may apply. Reply HELP for help, STOP to cancel.`,
  };
}

export function generatedCopy(row: RegistrationRow): Generated {
  const { business_name: name, given, use_case } = row;
  const about = ABOUT[use_case];
  const replies = repliesOf(row);
  const contact = given.support_email ?? "the contact on our website";
  return {
    opt_in_cta: `By checking this box, I agree to receive text messages from ${name} with ${about} at the number provided. Message frequency varies. Message and data rates may apply. Reply HELP for help, STOP to cancel. Consent is not a condition of any purchase. See our privacy policy and terms.`,
    privacy_clause: `Mobile information and text message consent will not be shared with third parties or affiliates for marketing or promotional purposes.`,
    sms_terms: `${name} sends text messages with ${about} to people who agreed to receive them. Message frequency varies. Message and data rates may apply. You can cancel at any time by replying STOP. For help reply HELP or write to ${contact}. Carriers are not liable for delayed or undelivered messages. Our privacy policy says how we handle your data.`,
    sample_messages: starterMessages(row),
    help_reply: replies.help,
    stop_reply: replies.stop,
    opt_in_confirmation: replies.start,
    brand: { missing: missingFields(given) },
    campaign: campaignOf(row, about, replies),
    toll_free: { missing: missingTollFreeFields(row) },
  };
}

function missingFields({ brand }: Given): string[] {
  return BRAND_FIELDS.filter((field) => !brand[field]);
}

function campaignOf(
  row: RegistrationRow,
  about: string,
  replies: ReturnType<typeof repliesOf>,
): Generated["campaign"] {
  const { business_name: name, given, use_case, website_check: check } = row;
  const samples = [...filedSamples(row)];
  const optInUrl = given.opt_in_url ?? check?.urls.opt_in.final_url ?? row.website;
  const description =
    given.description ??
    `${name} sends ${about} to people who asked for them on its website. Each text names the business, and replying STOP ends them.`;
  return {
    use_case,
    description,
    message_flow: `People enter their mobile number at ${optInUrl} and agree, by a box that is not checked beforehand, to receive text messages from ${name}. They get a confirmation, and then ${about}.`,
    sample_messages: samples,
    opt_in_keywords: [...OPT_IN_KEYWORDS, OPT_IN_KEYWORD_IF_OPTED_OUT],
    opt_in_message: replies.start,
    opt_out_keywords: [...OPT_OUT_KEYWORDS],
    opt_out_message: replies.stop,
    help_keywords: [...HELP_KEYWORDS],
    help_message: replies.help,
    ...campaignFlags(samples, description),
    privacy_policy_url: given.privacy_url ?? check?.urls.privacy.final_url ?? null,
    terms_url: given.terms_url ?? check?.urls.terms.final_url ?? null,
  };
}
