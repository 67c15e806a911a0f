import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { Input, SingleLine, StringEnum } from "../fields.ts";
import { NAME_CHARS_MAX, NOTE_CHARS_MAX } from "../limits.ts";
import { OperatorSender } from "../schemas/number.ts";

const TAG = "Operator";
const params = Input({
  number: Type.String({ description: "A live number that an account holds." }),
});
const EXAMPLE = { number: "+14155550123" };

/** The operator's word for numbers that are registered outside this installation. */
export const operatorNumberRoutes = defineRoutes({
  "operator.numbers.vouch": {
    method: "POST",
    path: "/operator/v1/numbers/{number}/sender",
    scope: "operator",
    tag: TAG,
    summary: "Vouch for a number that is registered elsewhere",
    description:
      "For a live US local number with a campaign at its provider, or a SIM. It sends to the public at once, whatever its account's registrations say, until the vouch is taken back or the number is released. Another call replaces reason and reference.",
    params,
    body: Input({
      state: StringEnum(["active"], { description: "The only state that the operator sets." }),
      reason: SingleLine({
        minLength: 1,
        maxLength: NOTE_CHARS_MAX,
        description: "Why the number may send. The account's audit log shows it.",
      }),
      reference: SingleLine({
        minLength: 1,
        maxLength: NAME_CHARS_MAX,
        description: "Place of the registration, such as the provider's campaign id.",
      }),
    }),
    answers: { 200: OperatorSender },
    errors: ["not_found", "number_not_registerable"],
    example: {
      params: EXAMPLE,
      body: { state: "active", reason: "Campaign at the provider", reference: "CMP-4711" },
      status: 200,
    },
  },
  "operator.numbers.endVouch": {
    method: "DELETE",
    path: "/operator/v1/numbers/{number}/sender",
    scope: "operator",
    tag: TAG,
    summary: "Take back the word for a number",
    description: "The number follows its account's registrations again.",
    params,
    answers: { 200: OperatorSender },
    errors: ["not_found"],
    example: { params: EXAMPLE, status: 200 },
  },
});
