import { type Static, Type } from "typebox";
import {
  FINDING_LEVELS,
  HISTORY_ACTORS,
  KEY_MODES,
  NEXT_ACTORS,
  PAGE_FOUND_BY,
  REGISTRATION_KINDS,
  REGISTRATION_USE_CASES,
  SAMPLE_SOURCES,
} from "../enums.ts";
import { Id, Input, Nullable, Resource, SingleLine, StringEnum, Timestamp } from "../fields.ts";
import {
  REGISTRATION_DESCRIPTION_CHARS_MAX,
  REGISTRATION_DESCRIPTION_CHARS_MIN,
  REGISTRATION_NAME_CHARS_MAX,
  SAMPLE_CHARS_MAX,
  SAMPLES_MAX,
  WEBSITE_URL_CHARS_MAX,
} from "../limits.ts";
import { registrationMachine } from "../machines/registration.ts";
import { REGISTRATION_CODE_NAMES } from "../registration-codes/index.ts";
import { Brand, registryIds, resellerId, TollFree } from "./registration-brand.ts";
import { NetworkLimits } from "./registration-limits.ts";

const code = StringEnum(REGISTRATION_CODE_NAMES, {
  description: "A code of the registration table; each has a page in the documentation.",
});

const findingFields = {
  code,
  level: StringEnum(FINDING_LEVELS, {
    description:
      "`fail` keeps the registration from being ready, `warn` does not; `pass` found no problem.",
  }),
  title: Type.String({ description: "The finding in a few words." }),
  detail: Type.String({ description: "Finding in one or two sentences." }),
  fix: Nullable(Type.String(), { description: "Suggested fix; null on a pass." }),
  url: Nullable(Type.String(), {
    description: "The page it was found on; null when it is about no page.",
  }),
  excerpt: Nullable(Type.String(), { description: "The words that the finding rests on." }),
};

export const RegistrationFinding = Resource("RegistrationFinding", findingFields, {
  description: "Result of one rule for the website.",
});
export type RegistrationFinding = Static<typeof RegistrationFinding>;

export const SampleFinding = Resource(
  "SampleFinding",
  {
    ...findingFields,
    index: Nullable(Type.Integer(), {
      description: "Which example, counted from 0; null when it is about all of them.",
    }),
  },
  { description: "Result of one rule for the examples." },
);
export type SampleFinding = Static<typeof SampleFinding>;

const CheckedPage = Resource(
  "CheckedPage",
  {
    url: Nullable(Type.String(), {
      description: "Address of the page; null when none was given or found.",
    }),
    found_by: StringEnum(PAGE_FOUND_BY, {
      description:
        "Origin of the address: given in the request, a link of the homepage, a guess (a usual address, or the homepage itself), or none.",
    }),
    status: Nullable(Type.Integer(), {
      description: "The HTTP status of the page; null when there was no answer.",
    }),
    final_url: Nullable(Type.String(), { description: "Final address after redirects." }),
  },
  { description: "One of the four pages, and how it was found." },
);

const counts = {
  passed: Type.Integer({ description: "Number of findings with level `pass`." }),
  failed: Type.Integer({ description: "Number of findings with level `fail`." }),
  warnings: Type.Integer({ description: "Number of findings with level `warn`." }),
};

export const WebsiteCheck = Resource(
  "WebsiteCheck",
  {
    checked_at: Timestamp({ description: "Time when the pages were read." }),
    ...counts,
    urls: Resource("CheckedPages", {
      website: CheckedPage,
      privacy: CheckedPage,
      terms: CheckedPage,
      opt_in: CheckedPage,
    }),
    findings: Type.Array(RegistrationFinding, {
      description: "One finding for each rule that applied, passes included.",
    }),
  },
  { description: "Result of the last check of the website." },
);
export type WebsiteCheck = Static<typeof WebsiteCheck>;

const SampleCheck = Resource(
  "SampleCheck",
  {
    ...counts,
    ok: Type.Boolean({ description: "No finding fails." }),
    findings: Type.Array(SampleFinding, { description: "Worked out anew on every read." }),
  },
  { description: "Results of the rules for the filed examples." },
);

const text = (description: string) => Type.String({ description });
const texts = (description: string) => Type.Array(Type.String(), { description });
const flag = (description: string) => Type.Boolean({ description });

const Campaign = Resource(
  "RegistrationCampaign",
  {
    use_case: StringEnum(REGISTRATION_USE_CASES, { description: "Purpose of the texts." }),
    description: text("Description of sender, recipients and purpose."),
    message_flow: text("Description of the opt-in, with addresses."),
    sample_messages: texts("The examples as filed."),
    opt_in_keywords: texts("Words that opt a phone in again."),
    opt_in_message: text("The text that confirms an opt-in."),
    opt_out_keywords: texts("Words that end the texts."),
    opt_out_message: text("The one text after an opt-out."),
    help_keywords: texts("Words that ask for help."),
    help_message: text("The text that answers them."),
    embedded_link: flag("Whether an example has a link."),
    embedded_phone: flag("Whether an example has a phone number."),
    number_pooling: flag("Many numbers send for one registration."),
    direct_lending: flag("The texts are about loans of the sender's own money."),
    age_gated: flag("The texts are for adults only."),
    affiliate_marketing: flag("The texts advertise for others."),
    privacy_policy_url: Nullable(Type.String(), {
      description: "The privacy policy, given or found.",
    }),
    terms_url: Nullable(Type.String(), { description: "The terms, given or found." }),
  },
  { description: "The campaign as it is filed with the registry." },
);

const Generated = Resource(
  "RegistrationCopy",
  {
    opt_in_cta: text("The words of consent for the opt-in page."),
    privacy_clause: text("The sentence for the privacy policy."),
    sms_terms: text("Text-message terms to begin with."),
    sample_messages: texts("Two to five drafts to begin with."),
    help_reply: text("Text that goes to somebody who texts HELP."),
    stop_reply: text("Text that confirms an opt-out to somebody who texts STOP."),
    opt_in_confirmation: text("Reply to START."),
    brand: Resource("RegistrationBrandGaps", {
      missing: texts("Fields of brand that the registry will ask for and that were not given."),
    }),
    campaign: Campaign,
    toll_free: Resource("RegistrationTollFreeGaps", {
      missing: texts(
        "Fields without which a toll-free verification is not ready, such as toll_free.monthly_volume; empty for a campaign.",
      ),
    }),
  },
  { description: "Copy generated from the given fields: to publish, and to file." },
);

const url = (description: string) =>
  Type.String({ minLength: 1, maxLength: WEBSITE_URL_CHARS_MAX, description });
const sample = Type.String({ maxLength: SAMPLE_CHARS_MAX });
export const SUPPORT_EMAIL_PATTERN = "^[^@\\s]{1,64}@[^@\\s][^@\\s.]*\\.[^@\\s]+$";
const email = Type.String({ maxLength: 254, pattern: SUPPORT_EMAIL_PATTERN });

const required = {
  business_name: SingleLine({
    minLength: 1,
    maxLength: REGISTRATION_NAME_CHARS_MAX,
    description: "Public name of the business; the website must show it.",
  }),
  website: url("The homepage: https, or http with a warning."),
  use_case: StringEnum(REGISTRATION_USE_CASES, { description: "Purpose of the texts." }),
};

const optional = {
  opt_in_url: Type.Optional(
    Nullable(url("The page where people enter their number."), {
      description:
        "The page where people enter their number; found by the links of the homepage when left out.",
    }),
  ),
  privacy_url: Type.Optional(
    Nullable(url("The privacy policy."), {
      description: "The privacy policy; found by the links of the homepage when left out.",
    }),
  ),
  terms_url: Type.Optional(
    Nullable(url("The terms."), {
      description: "The terms; found by the links of the homepage when left out.",
    }),
  ),
  support_email: Type.Optional(Nullable(email, { description: "Named in the reply to HELP." })),
  sample_messages: Type.Optional(
    Nullable(Type.Array(sample, { maxItems: SAMPLES_MAX }), {
      description:
        "Two to five real examples, each naming the business. null or [] goes back to the drafts.",
    }),
  ),
  starter_messages: Type.Optional(
    Nullable(Type.Array(Type.String(), { maxItems: SAMPLES_MAX }), {
      description: `Drafts to show instead of ours; drafts that fail the rules, or have more than ${SAMPLE_CHARS_MAX} characters, are ignored.`,
    }),
  ),
  samples_confirmed: Type.Optional(
    Nullable(Type.Boolean(), {
      description:
        "true takes the drafts as your own examples; ignored when sample_messages is sent.",
    }),
  ),
  description: Type.Optional(
    Nullable(
      Type.String({
        minLength: REGISTRATION_DESCRIPTION_CHARS_MIN,
        maxLength: REGISTRATION_DESCRIPTION_CHARS_MAX,
      }),
      {
        description: "Description of sender, recipients and purpose; null files the generated one.",
      },
    ),
  ),
  brand: Type.Optional(
    Nullable(Brand, {
      description: "Data that the registry asks of the organisation. Absent fields stay unchanged.",
    }),
  ),
  toll_free: Type.Optional(
    Nullable(TollFree, {
      description:
        "Data that toll-free verification asks beside brand; for kind toll_free alone. Absent fields stay unchanged.",
    }),
  ),
  ...registryIds,
  ...resellerId,
};

export const RegistrationInput = Input({
  ...required,
  ...optional,
  kind: Type.Optional(
    Nullable(StringEnum(REGISTRATION_KINDS), {
      description:
        "campaign (the default) speaks for US local numbers; toll_free verifies toll-free numbers. It never changes.",
    }),
  ),
  draft: Type.Optional(Nullable(Type.Boolean(), { description: "true saves it without a check." })),
});
export type RegistrationInput = Static<typeof RegistrationInput>;

export const RegistrationChanges = Input({
  business_name: Type.Optional(
    Nullable(required.business_name, {
      description: "Public name of the business; the website must show it.",
    }),
  ),
  website: Type.Optional(
    Nullable(required.website, {
      description: "The homepage: a corrected address is checked again.",
    }),
  ),
  use_case: Type.Optional(Nullable(required.use_case, { description: "Purpose of the texts." })),
  ...optional,
});
export type RegistrationChanges = Static<typeof RegistrationChanges>;

export const PrefillInput = Input({
  website: required.website,
  business_name: Type.Optional(required.business_name),
  use_case: Type.Optional(required.use_case),
});

export const RegistrationPrefill = Resource("RegistrationPrefill", {
  object: Type.Literal("registration_prefill"),
  fields: Resource("RegistrationPrefillFields", {
    business_name: text("The given name, or the homepage's."),
    website: text("The given value."),
    use_case: StringEnum(REGISTRATION_USE_CASES, { description: "The given use case, or mixed." }),
    privacy_url: Nullable(Type.String(), { description: "Found by the links of the homepage." }),
    terms_url: Nullable(Type.String(), { description: "Found by the links of the homepage." }),
    opt_in_url: Nullable(Type.String(), { description: "Found by the links of the homepage." }),
    support_email: Nullable(Type.String(), { description: "An address that the homepage shows." }),
    sample_messages: texts("Draft examples, to replace by real ones."),
  }),
});

export const RegistrationRejection = Resource("RegistrationRejection", {
  code,
  title: text("The reason in a few words."),
  explanation: text("The defect in a sentence or two."),
  fix: text("Suggested correction."),
  note: Nullable(Type.String(), { description: "Remark of the reviewer, or null." }),
  related_findings: texts("Codes of findings of the check that say the same."),
  rejected_at: Timestamp({ description: "Time of the decision." }),
});

export const Registration = Resource("Registration", {
  id: Id("registration"),
  object: Type.Literal("registration"),
  kind: StringEnum(REGISTRATION_KINDS, {
    description: "campaign speaks for US local numbers, toll_free for toll-free numbers.",
  }),
  status: StringEnum(registrationMachine.states, {
    description: "Step in the approval process.",
  }),
  mode: Nullable(StringEnum(KEY_MODES), {
    description:
      "Mode of the key that submitted it: `test` is reviewed in the sandbox and speaks for no live number. null before the first submission.",
  }),
  business_name: text("Public name, which the website must show."),
  website: text("The homepage as given."),
  use_case: StringEnum(REGISTRATION_USE_CASES, { description: "Purpose of the texts." }),
  opt_in_url: Nullable(Type.String(), {
    description: "The given address; check.urls holds the found one.",
  }),
  privacy_url: Nullable(Type.String(), {
    description: "The given address; check.urls holds the found one.",
  }),
  terms_url: Nullable(Type.String(), {
    description: "The given address; check.urls holds the found one.",
  }),
  support_email: Nullable(Type.String(), { description: "Named in the reply to HELP." }),
  brand: Resource("RegistrationBrand", Brand.properties),
  toll_free: Nullable(Resource("RegistrationTollFree", TollFree.properties), {
    description: "Given data of a toll-free verification; null for a campaign.",
  }),
  campaign_id: Nullable(Type.String(), {
    description: "Id of the campaign or verification that is approved elsewhere, or null.",
  }),
  brand_id: Nullable(Type.String(), {
    description: "Id of the brand with the registry, or null.",
  }),
  reseller_id: Nullable(Type.String(), {
    description: "Id of the reseller with the registry, or null.",
  }),
  limits: Type.Array(NetworkLimits, {
    description:
      "Rates and daily caps that networks granted, from the registry or the operator. The smallest rate paces all US messages of the registration's numbers; what exceeds the smallest cap waits for the next day.",
  }),
  sample_messages: texts("The examples as filed: yours, or the drafts."),
  samples_source: StringEnum(SAMPLE_SOURCES, {
    description:
      "starter: drafts of the service, with which it cannot be ready; customer: your own.",
  }),
  description: Nullable(Type.String(), {
    description: "null: the generated description is filed.",
  }),
  sample_check: SampleCheck,
  guidance: Resource("RegistrationGuidance", {
    what_happened: text("Status in a sentence."),
    why: text("Reason of the status."),
    next_step: text("The next action, for the one whom next_actor names."),
    after: text("Result of that action."),
    next_actor: StringEnum(NEXT_ACTORS, {
      description: "Party to act next: you, delivered (the operator), carriers, or nobody.",
    }),
  }),
  check: Nullable(WebsiteCheck, {
    description: "The last check of the website; null for a draft that was never checked.",
  }),
  rejection: Nullable(RegistrationRejection, {
    description: "Reason of the rejection, suspension or expiry, until the next check or approval.",
  }),
  generated: Generated,
  submissions: Type.Integer({ description: "Count of the times it was handed in for review." }),
  history: Type.Array(
    Resource("RegistrationHistoryEntry", {
      at: Timestamp({ description: "Time of the step." }),
      status: StringEnum(registrationMachine.states, { description: "The status from then on." }),
      actor: StringEnum(HISTORY_ACTORS, {
        description: "customer, delivered (the operator) or system.",
      }),
      label: text("Summary of the step, in a few words."),
      reason_code: Nullable(code, {
        description: "Reason of a rejection, one of the registration codes; null for other moves.",
      }),
      note: Nullable(Type.String(), { description: "Remark of the reviewer, or null." }),
    }),
    { description: "Oldest first." },
  ),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
export type Registration = Static<typeof Registration>;

export const OperatorRegistration = Resource("OperatorRegistration", {
  account_id: Id("account"),
  ...Registration.properties,
});
