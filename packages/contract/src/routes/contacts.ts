import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { CONTACT_BULK_ACTIONS } from "../enums.ts";
import { IdInput, Input, ListQuery, Page, PhoneInput, SingleLine, StringEnum } from "../fields.ts";
import {
  CONTACT_BULK_IDS_MAX,
  CONTACT_IMPORT_ROWS_MAX,
  LARGE_BODY_BYTES_MAX,
  NAME_CHARS_MAX,
  SEARCH_CHARS_MAX,
  TAGS_PER_CONTACT_MAX,
} from "../limits.ts";
import {
  Contact,
  ContactBulk,
  ContactChange,
  ContactImport,
  ContactImportPreview,
  ContactImportRow,
  ContactInput,
  ContactTag,
} from "../schemas/contact.ts";

const TAG = "Contacts";
const EXAMPLE_CONTACT = { id: "con_01jd0000000000000000000000" };
const contactParams = Input({ id: Type.String({ description: "The contact's id." }) });

export const contactRoutes = defineRoutes({
  "contacts.upsert": {
    method: "POST",
    path: "/v1/contacts",
    scope: "contacts",
    tag: TAG,
    summary: "Create a contact, or update the one with the same number",
    description:
      "201 for a new contact, 200 for an updated one. Omitted fields keep their values, null clears; tags are only added, attributes are merged. opt_in goes into the consent ledger, and never opts anyone back in who has opted out.",
    nullClears: true,
    body: ContactInput,
    answers: { 200: Contact, 201: Contact },
    errors: [],
    example: {
      body: {
        phone_number: "+14155550123",
        name: "Ada Lovelace",
        email: "ada@example.com",
        company: "Analytical Engines",
        tags: ["vip"],
        attributes: { plan: "gold" },
        opt_in: { status: true, source: "web_form" },
      },
      status: 201,
    },
  },
  "contacts.list": {
    method: "GET",
    path: "/v1/contacts",
    heavy: true,
    scope: "contacts",
    tag: TAG,
    summary: "List contacts, newest first",
    description: "Filters can be combined. Every page costs the same, however far back it is.",
    query: ListQuery({
      tag: Type.Optional(ContactTag),
      phone_number: Type.Optional(
        PhoneInput({ description: "The contact with this number: one or none." }),
      ),
      segment_id: Type.Optional(IdInput({ description: "Only contacts in this segment now." })),
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: SEARCH_CHARS_MAX,
          description:
            "A part of the name, the email address or the company in any case, or of the number's digits.",
        }),
      ),
    }),
    answers: { 200: Page(Contact) },
    errors: [],
    example: { query: { tag: "vip" }, status: 200 },
  },
  "contacts.get": {
    method: "GET",
    path: "/v1/contacts/{id}",
    scope: "contacts",
    tag: TAG,
    summary: "Read a contact",
    description: "The contact, and whether its number has opted out of all texts of the account.",
    params: contactParams,
    answers: { 200: Contact },
    errors: ["not_found"],
    example: { params: EXAMPLE_CONTACT, status: 200 },
  },
  "contacts.update": {
    method: "PATCH",
    path: "/v1/contacts/{id}",
    scope: "contacts",
    tag: TAG,
    summary: "Change a contact",
    description:
      "Absent fields stay unchanged, null clears; tags and attributes replace the existing ones. A number of another contact is refused with 409.",
    params: contactParams,
    nullClears: true,
    body: ContactChange,
    answers: { 200: Contact },
    errors: ["not_found", "already_exists"],
    example: { params: EXAMPLE_CONTACT, body: { tags: ["vip", "berlin"] }, status: 200 },
  },
  "contacts.delete": {
    method: "DELETE",
    path: "/v1/contacts/{id}",
    scope: "contacts",
    tag: TAG,
    summary: "Delete a contact",
    description:
      "Answers the contact as it last was. Consent, subscriptions and messages of the number stay: someone who opted out stays opted out.",
    params: contactParams,
    answers: { 200: Contact },
    errors: ["not_found"],
    example: { params: EXAMPLE_CONTACT, status: 200 },
  },
  "contacts.import": {
    method: "POST",
    path: "/v1/contacts/import",
    heavy: true,
    scope: "contacts",
    tag: TAG,
    summary: "Import up to 500 contacts",
    description:
      "Each row acts like POST /contacts, in order; the request is stored as a whole. A row with an invalid value is skipped and reported with its reason. Rows with the same number are one contact. With dry_run nothing is stored.",
    bodyBytesMax: LARGE_BODY_BYTES_MAX,
    nullClears: true,
    body: Input({
      contacts: Type.Array(ContactImportRow, {
        minItems: 1,
        maxItems: CONTACT_IMPORT_ROWS_MAX,
        description: `At most ${CONTACT_IMPORT_ROWS_MAX} rows. Send more in further requests with the same import_id.`,
      }),
      dry_run: Type.Optional(Type.Boolean({ description: "Only preview the import." })),
      check_line_types: Type.Optional(
        Type.Boolean({
          description: "With dry_run: count landlines and report their rows.",
        }),
      ),
      import_id: Type.Optional(
        IdInput({
          description: "Import id of an earlier response: this request continues that import.",
        }),
      ),
      name: Type.Optional(
        SingleLine({
          maxLength: NAME_CHARS_MAX,
          description: "A label for the import. The label of its first request is kept.",
        }),
      ),
    }),
    answers: { 200: Type.Union([ContactImport, ContactImportPreview]) },
    answersWith: { dry_run: ContactImportPreview },
    errors: [],
    example: {
      body: {
        contacts: [
          { phone_number: "+14155550123", name: "Ada Lovelace", tags: ["vip"] },
          { phone_number: "+14155550124", opt_in: { status: false } },
        ],
        name: "Spring list",
      },
      status: 200,
    },
  },
  "contacts.bulk": {
    method: "POST",
    path: "/v1/contacts/bulk",
    heavy: true,
    scope: "contacts",
    tag: TAG,
    summary: "Tag, untag or delete up to 500 contacts",
    description:
      "Unknown ids are counted in `missing`; the other contacts are changed together. The request is refused if a contact would exceed its tag limit.",
    body: Input({
      action: StringEnum(CONTACT_BULK_ACTIONS, { description: "Change made to each contact." }),
      ids: Type.Array(IdInput(), {
        minItems: 1,
        maxItems: CONTACT_BULK_IDS_MAX,
        description: "The contacts. Duplicates count once.",
      }),
      tags: Type.Optional(
        Type.Array(ContactTag, {
          minItems: 1,
          maxItems: TAGS_PER_CONTACT_MAX,
          description: "For add_tags and remove_tags, and only there.",
        }),
      ),
    }),
    answers: { 200: ContactBulk },
    errors: [],
    example: {
      body: { action: "add_tags", ids: ["con_01jd0000000000000000000000"], tags: ["spring"] },
      status: 200,
    },
  },
});
