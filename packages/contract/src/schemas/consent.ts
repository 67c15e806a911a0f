import { type Static, Type } from "typebox";
import {
  CONSENT_BASES,
  CONSENT_ENTRY_STATUSES,
  CONSENT_IMPORT_SKIPS,
  CONSENT_MATCHES,
  CONSENT_SOURCE_CARRIER,
  CONSENT_SOURCE_TEXT,
  CONSENT_STATUSES,
  KEY_MODES,
} from "../enums.ts";
import { E164, Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";
import { idPattern } from "../ids.ts";

const match = Nullable(StringEnum(CONSENT_MATCHES), {
  description: "Classification of the text: a keyword, or a plain request in other words.",
});
const customerId = Nullable(Id("customer"), {
  description: "The customer it holds for; null: the whole account.",
});
const recordedBy = Nullable(
  Type.String({ pattern: `(${idPattern("api_key")})|(${idPattern("user")})` }),
  {
    description:
      "The key, or the person in the console, that wrote it; null where somebody texted it.",
  },
);
const hash = Type.String({
  pattern: "^[0-9a-f]{64}$",
  description: "SHA-256 in hex.",
  examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
});

/** Evidence of one opt-in or opt-out, as the account collected it. */
export const ConsentEvidence = Resource(
  "ConsentEvidence",
  {
    disclosure: Nullable(Type.String(), {
      description: "Wording that the person saw and agreed to.",
    }),
    page_url: Nullable(Type.String(), { description: "Page on which the person agreed." }),
    ip: Nullable(Type.String(), { description: "IP address of the person." }),
    user_agent: Nullable(Type.String(), {
      description: "Browser of the person, by its User-Agent.",
    }),
    form_version: Nullable(Type.String(), { description: "Version of the form, in your words." }),
    collected_at: Nullable(Timestamp(), { description: "Time at which the person agreed." }),
  },
  { description: "Circumstances of a choice: the words, the page, the device and the time." },
);
export type ConsentEvidence = Static<typeof ConsentEvidence>;

const basis = Nullable(StringEnum(CONSENT_BASES), {
  description:
    "Kind of agreement of an opt-in: express, or implied by an inquiry or a purchase. null for other states.",
});
const expiresAt = Nullable(Timestamp(), {
  description:
    "End of implied consent: 6 months after an inquiry, 24 after a purchase. null: no end.",
});

export const Consent = Resource(
  "Consent",
  {
    object: Type.Literal("consent"),
    phone_number: E164(),
    customer_id: customerId,
    status: StringEnum(CONSENT_STATUSES),
    source: Type.String({
      description: `Source of the consent: ${CONSENT_SOURCE_TEXT} when the person texted it, ${CONSENT_SOURCE_CARRIER} when a carrier reported it, otherwise as given.`,
    }),
    match,
    note: Nullable(Type.String()),
    basis,
    expires_at: expiresAt,
    recorded_by: recordedBy,
    updated_at: Timestamp(),
  },
  { description: "Current consent of a person." },
);
export type Consent = Static<typeof Consent>;

/** Columns of the exported states. */
export const CONSENT_CSV_COLUMNS = [
  "phone_number",
  "customer_id",
  "status",
  "source",
  "match",
  "note",
  "recorded_by",
  "updated_at",
  "basis",
  "expires_at",
] as const satisfies readonly (keyof Consent)[];

export const ConsentEntry = Resource(
  "ConsentEntry",
  {
    object: Type.Literal("consent_entry"),
    id: Id("consent_entry"),
    seq: Type.Integer({ description: "Counts the entries of the account." }),
    phone_number: E164(),
    number_seq: Type.Integer({ description: "Counts the entries of this phone number." }),
    customer_id: customerId,
    status: StringEnum(CONSENT_ENTRY_STATUSES, {
      description: "flagged: a request in other words, which this account reads before acting.",
    }),
    source: Type.String(),
    match,
    keyword: Nullable(Type.String(), { description: "The keyword or the words understood." }),
    note: Nullable(Type.String()),
    date: Nullable(Timestamp(), {
      description: "Time of the opt-in or opt-out, if the import contains it.",
    }),
    message_id: Nullable(Id("message"), { description: "The text with the request." }),
    texted_number: Nullable(E164(), { description: "The number of yours that was texted." }),
    carrier: Nullable(Type.String(), {
      description: "Carrier link that delivered the text; null in the sandbox.",
    }),
    basis,
    expires_at: expiresAt,
    evidence: Nullable(ConsentEvidence, { description: "Circumstances of the choice, or null." }),
    recorded_by: recordedBy,
    created_at: Timestamp(),
    previous_hash: Nullable(hash, {
      description: "Hash of this phone number's entry before; null on its first.",
    }),
    hash,
  },
  {
    description:
      "One entry of the consent ledger. Entries are never changed, and removed with their whole account alone.",
  },
);
export type ConsentEntry = Static<typeof ConsentEntry>;

export const ConsentHistory = Resource(
  "ConsentHistory",
  {
    object: Type.Literal("consent"),
    phone_number: E164(),
    customer_id: customerId,
    status: StringEnum([...CONSENT_STATUSES, "unknown"], {
      description: "unknown: texts of this number were flagged, and nothing else was recorded.",
    }),
    source: Nullable(Type.String()),
    match,
    note: Nullable(Type.String()),
    basis,
    expires_at: expiresAt,
    recorded_by: recordedBy,
    updated_at: Timestamp(),
    states: Type.Array(Consent, {
      description: "Every state of this number: the account's, then its customers'. At most 100.",
    }),
    history: Type.Array(ConsentEntry, { description: "Oldest first, the newest 1,000 entries." }),
  },
  {
    description:
      "State and history of one number. The fields next to `states` and `history` apply to the requested customer, else to the whole account, else (with entries of customers only) repeat the state that changed last.",
  },
);
export type ConsentHistory = Static<typeof ConsentHistory>;

const chainPoint = Type.Object({ seq: Type.Integer(), hash }, { additionalProperties: false });

export const ConsentProof = Resource(
  "ConsentProof",
  {
    object: Type.Literal("consent_proof"),
    format: Type.Literal("longwave-consent-proof/1"),
    account_id: Id("account"),
    mode: StringEnum(KEY_MODES, {
      description: "Mode of the ledger: each has a chain of its own.",
    }),
    phone_number: E164(),
    issued_at: Timestamp(),
    entries: Type.Array(
      Type.Object(
        {
          seq: Type.Integer(),
          text: Type.String({ description: "The entry as it was hashed: JSON on one line." }),
          previous_hash: Nullable(hash),
          hash,
          chain_before: hash,
          chain_after: hash,
        },
        { additionalProperties: false },
      ),
      { description: "Oldest first, the newest 1,000 entries." },
    ),
    chain: Type.Object(
      {
        start: chainPoint,
        hashes: Nullable(Type.Array(hash), {
          description:
            "Hashes of every entry of the account after start, up to head. null when there are more than 10,000.",
        }),
        head: chainPoint,
      },
      { additionalProperties: false, description: "The account's chain that the entries lie on." },
    ),
  },
  {
    description:
      "Evidence about one number that anyone can verify independently. `hash` is the SHA-256 of `text`; `text` contains `previous_hash`; `chain_after` is the SHA-256 of `chain_before` followed by `hash`, both as hex; and the hashes lead from `start` to `head`. docs/consent-proof.md shows the manual check.",
  },
);
export type ConsentProof = Static<typeof ConsentProof>;

export const ConsentImport = Resource(
  "ConsentImport",
  {
    object: Type.Literal("consent_import"),
    opted_in: Type.Integer({ description: "Rows recorded as an opt-in." }),
    opted_out: Type.Integer({ description: "Rows recorded as an opt-out." }),
    unchanged: Type.Integer({ description: "Rows whose state was recorded already." }),
    skipped: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ description: "Position of the row, from 0." }),
          value: Type.String(),
          reason: StringEnum(CONSENT_IMPORT_SKIPS),
          detail: Type.String(),
        },
        { additionalProperties: false },
      ),
      { description: "Rows not recorded. opted_out: an import never opts anyone back in." },
    ),
  },
  { description: "opted_in + opted_out + unchanged + skipped = rows." },
);
export type ConsentImport = Static<typeof ConsentImport>;
