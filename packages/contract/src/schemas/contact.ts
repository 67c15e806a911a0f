import { type Static, Type } from "typebox";
import { CONTACT_BULK_ACTIONS, CONTACT_REJECTIONS } from "../enums.ts";
import {
  E164,
  Id,
  Nullable,
  PhoneInput,
  Resource,
  SingleLine,
  StringEnum,
  Timestamp,
  TimestampInput,
} from "../fields.ts";
import {
  CONSENT_SOURCE_CHARS_MAX,
  CONTACT_ATTRIBUTE_CHARS_MAX,
  CONTACT_ATTRIBUTE_KEY_CHARS_MAX,
  CONTACT_ATTRIBUTES_MAX,
  CONTACT_EMAIL_CHARS_MAX,
  NAME_CHARS_MAX,
  TAG_CHARS_MAX,
  TAGS_PER_CONTACT_MAX,
} from "../limits.ts";
import { MetadataInput, MetadataOf } from "../metadata.ts";
import { ConsentBasisInput, ConsentEvidenceInput } from "./consent-evidence.ts";

/**
 * One @, something before it, and a domain with a dot; or empty. Only mail delivery can check the
 * rest.
 */
export const CONTACT_EMAIL_PATTERN =
  "^([^\\s@\\u0000-\\u001f]+@[^\\s@\\u0000-\\u001f][^\\s@.\\u0000-\\u001f]*\\.[^\\s@\\u0000-\\u001f]+)?$";

export const ContactTag = SingleLine({
  minLength: 1,
  maxLength: TAG_CHARS_MAX,
  description: `A label of at most ${TAG_CHARS_MAX} characters, compared in any case.`,
});

const attributesSchema = {
  type: "object",
  additionalProperties: { type: "string", maxLength: CONTACT_ATTRIBUTE_CHARS_MAX },
  propertyNames: { minLength: 1, maxLength: CONTACT_ATTRIBUTE_KEY_CHARS_MAX },
  maxProperties: CONTACT_ATTRIBUTES_MAX,
  description: `Texts of your own by name: at most ${CONTACT_ATTRIBUTES_MAX}, each of at most ${CONTACT_ATTRIBUTE_CHARS_MAX} characters. A batch fills {{plan}} from the attribute plan.`,
};

const OPT_IN =
  "Evidence of consent. A date or a source without a status is an opt-in. Nobody who has opted out is opted in again by this: POST /consent does that.";

export const OptInInput = Type.Object(
  {
    status: Type.Optional(
      Type.Boolean({
        description:
          "true: the person has agreed, which is written to the consent ledger. false: the number is recorded as opted out.",
      }),
    ),
    date: Type.Optional(
      TimestampInput({
        description:
          "Time of the opt-in or opt-out: a date, ISO 8601 with a zone, or epoch milliseconds. Not in the future.",
      }),
    ),
    source: Type.Optional(
      SingleLine({
        minLength: 1,
        maxLength: CONSENT_SOURCE_CHARS_MAX,
        description: "Source of the consent, in your words: web_form, signed_contract, call, …",
      }),
    ),
    basis: Type.Optional(ConsentBasisInput),
    evidence: Type.Optional(ConsentEvidenceInput),
  },
  {
    additionalProperties: false,
    description: OPT_IN,
  },
);

const contactFields = {
  phone_number: PhoneInput({
    description: "A US or Canada number. There is one contact for each.",
  }),
  name: Type.Optional(
    Nullable(SingleLine({ maxLength: NAME_CHARS_MAX }), { description: "The person's name." }),
  ),
  email: Type.Optional(
    Nullable(Type.String({ maxLength: CONTACT_EMAIL_CHARS_MAX, pattern: CONTACT_EMAIL_PATTERN }), {
      description: "An email address, such as ada@example.com.",
    }),
  ),
  company: Type.Optional(
    Nullable(SingleLine({ maxLength: NAME_CHARS_MAX }), {
      description: "Company that the person belongs to.",
    }),
  ),
  tags: Type.Optional(
    Nullable(Type.Array(ContactTag, { maxItems: TAGS_PER_CONTACT_MAX }), {
      description: `Labels; a contact has at most ${TAGS_PER_CONTACT_MAX}.`,
    }),
  ),
  attributes: Type.Optional(
    Type.Unsafe<Record<string, string> | null>({ ...attributesSchema, type: ["object", "null"] }),
  ),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, string> | null>({
      ...MetadataInput({ description: "Kept with the contact, and replaced as a whole." }),
      type: ["object", "null"],
    }),
  ),
};

export const ContactInput = Type.Object(
  {
    ...contactFields,
    opt_in: Type.Optional(
      Type.Unsafe<Static<typeof OptInInput> | null>({ ...OptInInput, type: ["object", "null"] }),
    ),
  },
  {
    $id: "ContactInput",
    additionalProperties: false,
    description:
      "A contact to store. Absent fields stay unchanged, null or an empty string clears; tags are added, attributes are merged.",
  },
);
export type ContactInput = Static<typeof ContactInput>;

/** Fields of PATCH; unlike in POST, tags and attributes replace the existing ones. */
export const ContactChange = Type.Object(
  { ...contactFields, phone_number: Type.Optional(contactFields.phone_number) },
  {
    $id: "ContactChange",
    additionalProperties: false,
    description:
      "Absent fields stay unchanged, null clears; tags and attributes replace the existing ones.",
  },
);
export type ContactChange = Static<typeof ContactChange>;

const described = (fields: Readonly<Record<string, { description?: string } | object>>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      "description" in field ? { description: field.description } : {},
    ]),
  );

/**
 * Row of an import. The request checks only its field names: an unusable value rejects its row, not
 * the request.
 */
export const ContactImportRow = Type.Unsafe<Readonly<Record<string, unknown>>>({
  $id: "ContactImportRow",
  type: "object",
  additionalProperties: false,
  properties: {
    ...described(contactFields),
    opt_in: {
      type: ["object", "null"],
      additionalProperties: false,
      properties: described(OptInInput.properties),
      description: OPT_IN,
    },
  },
  description:
    "A contact in the form of ContactInput. An invalid value skips its row and reports why; an unknown field refuses the request.",
});

export const Contact = Resource(
  "Contact",
  {
    id: Id("contact"),
    object: Type.Literal("contact"),
    phone_number: E164({ description: "The number in E.164. No two contacts share one." }),
    name: Nullable(Type.String(), { description: "The person's name." }),
    email: Nullable(Type.String(), { description: "The email address as given." }),
    company: Nullable(Type.String(), { description: "Company that the person belongs to." }),
    tags: Type.Array(Type.String(), { description: "In the order in which they were added." }),
    attributes: Type.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      description: "Texts of your own by name.",
    }),
    metadata: MetadataOf("the contact"),
    opt_in: Nullable(
      Type.Object(
        {
          status: Type.Boolean({ description: "True for an opt-in." }),
          date: Nullable(Timestamp(), { description: "Time of the consent, if given." }),
          source: Nullable(Type.String(), {
            description: "Source of the consent, if given.",
          }),
        },
        { additionalProperties: false },
      ),
      { description: "Latest evidence of consent given with the contact, or null." },
    ),
    opted_out: Type.Boolean({
      description:
        "Whether the number has currently opted out of everything that this account sends.",
    }),
    created_at: Timestamp(),
    updated_at: Timestamp({ description: "Time of the last change." }),
  },
  { description: "A person: one contact per phone number." },
);
export type Contact = Static<typeof Contact>;

const skipped = Type.Array(
  Type.Object(
    {
      index: Type.Integer({ description: "Index of the row in the request, from 0." }),
      value: Type.String({ description: "Content of the row's invalid field." }),
      reason: Type.String({ description: "Which field is wrong and why, as a sentence." }),
    },
    { additionalProperties: false },
  ),
  { description: "Rows that were left out. created + updated + skipped = rows." },
);

const importFields = {
  created: Type.Integer({ description: "Contacts that are new. 0 in a dry run." }),
  updated: Type.Integer({
    description:
      "Rows merged into a contact that was there, or into an earlier row. 0 in a dry run.",
  }),
  skipped,
  opted_out: Type.Integer({
    description: "Rows recorded as opted out because they are marked unsubscribed. 0 in a dry run.",
  }),
};

export const ContactImport = Resource(
  "ContactImport",
  {
    object: Type.Literal("contact_import"),
    ...importFields,
    import_id: Id("contact_import", {
      description: "Send it with the next request to make both one import.",
    }),
    name: Nullable(Type.String(), {
      description: "The label that the import's first request gave it.",
    }),
  },
  { description: "Counts of created, updated and skipped rows of one request." },
);
export type ContactImport = Static<typeof ContactImport>;

const summary = Type.Object(
  {
    found: Type.Integer({ description: "Rows: valid + malformed + duplicates + landlines." }),
    valid: Type.Integer({ description: "Rows that would become a contact, or change one." }),
    malformed: Type.Integer({ description: "Rows with a value that cannot be used." }),
    duplicates: Type.Integer({ description: "Rows whose number is in an earlier row." }),
    landlines: Nullable(Type.Integer(), {
      description: "Landlines found; null unless check_line_types.",
    }),
    already_opted_out: Type.Integer({
      description: "Valid rows whose number has opted out already.",
    }),
    marked_unsubscribed: Type.Integer({
      description: "Other valid rows that this import would record as opted out.",
    }),
    will_create: Type.Integer({ description: "Valid rows that would be new contacts." }),
    will_update: Type.Integer({ description: "Valid rows that would change a contact." }),
    eligible: Type.Integer({
      description:
        "Contacts that may then be texted: valid − already_opted_out − marked_unsubscribed.",
    }),
  },
  { additionalProperties: false, description: "The rows, counted." },
);

export const ContactImportPreview = Resource(
  "ContactImportPreview",
  {
    object: Type.Literal("contact_import_preview"),
    ...importFields,
    import_id: Id("contact_import", {
      description: "The id from the request, or a new one; the import itself may use it.",
    }),
    summary,
    rejected: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ description: "Index of the row in the request, from 0." }),
          phone_number: Type.String({ description: "Content of the row's field, unchanged." }),
          reason: StringEnum(CONTACT_REJECTIONS),
          detail: Type.String({ description: "Sentence that explains the problem." }),
        },
        { additionalProperties: false },
      ),
      {
        description:
          "Every row that is not valid. An import merges duplicates, and keeps landlines.",
      },
    ),
  },
  { description: "Preview of an import. No contact is stored." },
);
export type ContactImportPreview = Static<typeof ContactImportPreview>;

export const ContactBulk = Resource(
  "ContactBulk",
  {
    object: Type.Literal("contact_bulk"),
    action: StringEnum(CONTACT_BULK_ACTIONS, {
      description: "Change made to the contacts, as the request named it.",
    }),
    applied: Type.Integer({
      description: "Contacts of this account among the ids; the action was applied to each.",
    }),
    missing: Type.Integer({ description: "Ids that are no contact of this account." }),
  },
  { description: "Result of a bulk action: applied + missing = different ids." },
);
export type ContactBulk = Static<typeof ContactBulk>;
