import { defineRoutes } from "../define.ts";
import { Input, ListQuery, Nullable, Page, TimestampInput } from "../fields.ts";
import { HeldText, Hold } from "../schemas/restore-guard.ts";

const TAG = "Operator";

/** Restore guard: a restored database sends nothing until the operator releases it. */
export const operatorRestoreGuardRoutes = defineRoutes({
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
    summary: "List pending work that would send texts, earliest first",
    description:
      "Everything that waits to send a text, in all accounts, with or without a restore guard. Discarded work is not listed.",
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
      "Discards work that was due before `discard_due_before`: texts fail as `expired`, recurring schedules continue with their first later occurrence. Give the time when the lost installation stopped, because it may have sent anything due before. With null all pending work is sent. Without a restore guard nothing changes.",
    body: Input({
      discard_due_before: Nullable(TimestampInput(), {
        description:
          "Discards work due before this time, which is not in the future; null discards nothing.",
      }),
    }),
    answers: { 200: Hold },
    errors: ["invalid_request"],
    example: { body: { discard_due_before: "2026-11-16T09:30:00Z" }, status: 200 },
  },
});
