import { defineRoutes } from "../define.ts";
import { Input, ListQuery, Nullable, Page, TimestampInput } from "../fields.ts";
import { HeldText, Hold } from "../schemas/hold.ts";

const TAG = "Operator";

/** A restored database waits for the operator's word before anything leaves. */
export const operatorHoldRoutes = defineRoutes({
  "operator.hold.get": {
    method: "GET",
    path: "/operator/v1/hold",
    scope: "operator",
    heavy: "alone",
    tag: TAG,
    summary: "See whether the installation is on hold",
    description:
      "An installation whose database was restored, or went back in time, starts on hold: nothing is sent, and nothing is taken but reads and the operator's release.",
    answers: { 200: Hold },
    errors: [],
    example: { status: 200 },
  },
  "operator.hold.texts": {
    method: "GET",
    path: "/operator/v1/hold/texts",
    scope: "operator",
    tag: TAG,
    summary: "List what would be sent, what is due first before the rest",
    description:
      "Everything that waits to send a text, of all accounts, whether there is a hold or not. What is given up is not among it.",
    query: ListQuery({}),
    answers: { 200: Page(HeldText) },
    errors: [],
    example: { status: 200 },
  },
  "operator.hold.release": {
    method: "POST",
    path: "/operator/v1/hold/release",
    scope: "operator",
    tag: TAG,
    summary: "End the hold",
    description:
      "What was due before `discard_due_before` is given up: texts fail as `expired`, recurring schedules go on with the first occurrence after it. Say the moment the lost installation stopped: what was due by then may have been sent. With null everything that waits is sent. Where there is no hold, nothing is changed.",
    body: Input({
      discard_due_before: Nullable(TimestampInput(), {
        description:
          "Gives up what was due before this moment, which is not in the future; null gives up nothing.",
      }),
    }),
    answers: { 200: Hold },
    errors: ["invalid_request"],
    example: { body: { discard_due_before: "2026-11-16T09:30:00Z" }, status: 200 },
  },
});
