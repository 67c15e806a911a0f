import { type Static, Type } from "typebox";
import { CONSENT_BASES } from "../enums.ts";
import { SingleLine, StringEnum, TimestampInput } from "../fields.ts";
import {
  CONSENT_DISCLOSURE_CHARS_MAX,
  IP_CHARS_MAX,
  NAME_CHARS_MAX,
  USER_AGENT_CHARS_MAX,
  WEBSITE_URL_CHARS_MAX,
} from "../limits.ts";

export const ConsentBasisInput = StringEnum(CONSENT_BASES, {
  description:
    "Kind of agreement; express unless given. implied_inquiry ends 6 months, implied_purchase 24 months after the choice. Only for opt-ins.",
});

export const ConsentEvidenceInput = Type.Object(
  {
    disclosure: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: CONSENT_DISCLOSURE_CHARS_MAX,
        description: "Wording that the person saw and agreed to, letter by letter.",
      }),
    ),
    page_url: Type.Optional(
      Type.String({
        format: "uri",
        maxLength: WEBSITE_URL_CHARS_MAX,
        description: "Page on which the person agreed.",
      }),
    ),
    ip: Type.Optional(
      SingleLine({ maxLength: IP_CHARS_MAX, description: "IPv4 or IPv6 address of the person." }),
    ),
    user_agent: Type.Optional(
      SingleLine({
        maxLength: USER_AGENT_CHARS_MAX,
        description: "User-Agent of the person's browser.",
      }),
    ),
    form_version: Type.Optional(
      SingleLine({
        maxLength: NAME_CHARS_MAX,
        description: "Version of the form, in your words: a date, a commit, a number.",
      }),
    ),
    collected_at: Type.Optional(
      TimestampInput({
        description:
          "Time at which the person agreed, not in the future: ISO 8601 with a zone, or epoch milliseconds.",
      }),
    ),
  },
  {
    additionalProperties: false,
    description: "Circumstances of the choice, which the ledger keeps under its hash.",
  },
);
export type ConsentEvidenceInput = Static<typeof ConsentEvidenceInput>;
