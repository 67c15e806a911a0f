import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { Input, ListQuery, Page, SingleLine, StringEnum } from "../fields.ts";
import { NAME_CHARS_MAX, NOTE_CHARS_MAX } from "../limits.ts";
import { WEEKDAYS } from "../phone/quiet-law.ts";
import { QuietLawEdition, QuietLawTable } from "../schemas/quiet-hours.ts";

const TAG = "Operator";
const ROWS_MAX = 400;

/** Hours in which the law allows marketing texts. */
export const operatorQuietLawRoutes = defineRoutes({
  "operator.quietLaws.get": {
    method: "GET",
    path: "/operator/v1/quiet_laws/current",
    scope: "operator",
    tag: TAG,
    summary: "Read the lawful hours in force",
    description:
      "The operator's newest edition, else the built-in table. Accounts turn it on with quiet_hours.by_law.",
    answers: { 200: QuietLawTable },
    errors: [],
    example: { status: 200 },
  },
  "operator.quietLaws.list": {
    method: "GET",
    path: "/operator/v1/quiet_laws",
    scope: "operator",
    tag: TAG,
    summary: "List the editions of the lawful hours, newest first",
    description:
      "Editions that the operator set, with their time and author: they say what held when. Before the first one, the built-in table did.",
    query: ListQuery({}),
    answers: { 200: Page(QuietLawEdition) },
    errors: [],
    example: { status: 200 },
  },
  "operator.quietLaws.create": {
    method: "POST",
    path: "/operator/v1/quiet_laws",
    scope: "operator",
    tag: TAG,
    summary: "Set an edition of the lawful hours",
    description:
      "Replaces the whole table at once. Take the table in force, correct it with counsel, and name your sources. Older editions stay stored.",
    body: Input({
      edition: SingleLine({
        minLength: 1,
        maxLength: NAME_CHARS_MAX,
        description: "Name of the edition, such as 2027-01.",
      }),
      hours: Type.Array(
        Input({
          region: Type.String({
            pattern: "^[A-Z]{2}$",
            description: "US, or a state. A state's row replaces that of the US on its days.",
          }),
          days: Type.Array(StringEnum(WEEKDAYS), {
            minItems: 1,
            maxItems: 7,
            description: "Weekdays on the recipient's calendar.",
          }),
          from: Type.String({
            pattern: "^([01][0-9]|2[0-3]):(00|15|30|45)$",
            description: "First allowed minute, on the recipient's clock.",
          }),
          until: Type.String({
            pattern: "^(([01][0-9]|2[0-3]):(00|15|30|45)|24:00)$",
            description: "First minute that is no longer allowed. Equal to from: none of the day.",
          }),
          source: SingleLine({
            minLength: 1,
            maxLength: NOTE_CHARS_MAX,
            description: "Statute, or advice, that the row follows.",
          }),
        }),
        { minItems: 1, maxItems: ROWS_MAX, description: "Rows of the table." },
      ),
    }),
    answers: { 201: QuietLawTable },
    errors: [],
    example: {
      body: {
        edition: "2027-01",
        hours: [
          {
            region: "US",
            days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
            from: "08:00",
            until: "21:00",
            source: "47 CFR 64.1200(c)(1)",
          },
        ],
      },
      status: 201,
    },
  },
});
