import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { IdInput, Input, ListQuery, Page, PhoneInput, SingleLine } from "../fields.ts";
import { NAME_CHARS_MAX, NOTE_CHARS_MAX } from "../limits.ts";
import { Erasure, PersonalData } from "../schemas/erasure.ts";
import { Message } from "../schemas/message.ts";

const TAG = "Personal data";

/** Export and erasure of one phone number, and deletion of a message's body. */
export const personalDataRoutes = defineRoutes({
  "erasures.create": {
    method: "POST",
    path: "/v1/erasures",
    scope: "full_access",
    tag: TAG,
    summary: "Erase one phone number everywhere",
    description:
      "Opts the number out and deletes its contact at once. The rest follows within minutes, in both modes: messages and verifications lose number and text and keep what they cost; events, deliveries, conversations, carrier traffic, request log and everything else are deleted. Consent entries keep status, time and hash under a keyed hash of the number, which also keeps the number opted out until it opts in again. It cannot be undone. Because it spans both modes, it needs a live key once live access is granted; a test key is then refused with mode_mismatch. A running erasure of the same number is answered with 200.",
    body: Input({
      phone_number: PhoneInput({
        description: "The person whose data goes; none of your own numbers.",
      }),
      note: Type.Optional(
        SingleLine({
          maxLength: NOTE_CHARS_MAX,
          description: "Reason, such as the person's request. Name nobody in it.",
        }),
      ),
    }),
    answers: { 200: Erasure, 201: Erasure },
    errors: ["mode_mismatch"],
    example: { body: { phone_number: "+14155550188", note: "Request of 2026-11-02" }, status: 201 },
  },
  "erasures.list": {
    method: "GET",
    path: "/v1/erasures",
    scope: "full_access",
    tag: TAG,
    summary: "List erasures, newest first",
    description: "With phone_number, those of this number, by its keyed hash.",
    query: ListQuery({
      phone_number: Type.Optional(PhoneInput({ description: "Only erasures of this number." })),
    }),
    answers: { 200: Page(Erasure) },
    errors: [],
    example: { status: 200 },
  },
  "erasures.get": {
    method: "GET",
    path: "/v1/erasures/{id}",
    scope: "full_access",
    tag: TAG,
    summary: "Read an erasure with its report",
    params: Input({ id: IdInput({ description: "The erasure's id." }) }),
    answers: { 200: Erasure },
    errors: ["not_found"],
    example: { params: { id: "ers_01jd0000000000000000000000" }, status: 200 },
  },
  "personalData.get": {
    method: "GET",
    path: "/v1/personal_data/{phone}",
    heavy: "alone",
    scope: "full_access",
    tag: TAG,
    summary: "Export everything about one phone number",
    description:
      "Every place that an erasure would change, with its records as stored. Messages, events and whatever else has a mode are those of the key's mode; contacts, topic subscriptions and verified numbers belong to both. Audit log and backups are not among them; docs/personal-data.md names what else is not.",
    params: Input({
      phone: Type.String({
        description: "The phone number, in any form that a request may write it.",
      }),
    }),
    query: Input({
      place: Type.Optional(
        SingleLine({
          minLength: 1,
          maxLength: NAME_CHARS_MAX,
          description: "Only this place, such as messages.",
        }),
      ),
      cursor: Type.Optional(
        Type.String({
          description: "next_cursor of the place in an earlier answer: the records after it.",
        }),
      ),
    }),
    answers: { 200: PersonalData },
    errors: ["not_found"],
    example: { params: { phone: "+14155550123" }, status: 200 },
  },
  "messages.deleteBody": {
    method: "DELETE",
    path: "/v1/messages/{id}/body",
    scope: "messages:send",
    tag: "Messages",
    summary: "Delete the body of a message",
    description:
      "The message stays, with an empty body and without metadata. The event of an incoming message and the carrier's traffic about it go, too. A message that has not left yet: 409.",
    params: Input({ id: IdInput({ description: "The message's id." }) }),
    answers: { 200: Message },
    errors: ["not_found", "invalid_state"],
    example: { params: { id: "msg_01jd0000000000000000000000" }, status: 200 },
  },
});
