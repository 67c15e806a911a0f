import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { ROOT } from "../testing/source-process.ts";

const SOURCES = join(ROOT, "packages/server/src");
/** Calls by which a message is composed or leaves. */
const CALLS = /(?<![.#\w]|function )(?:prepare|submitAll|submitBeforeDeadline)\(/;
/** Definitions of these calls, and a method of carriers that has one of their names. */
const DEFINITIONS = new Set([
  "messaging/outbound/prepare.ts",
  "messaging/outbound/submit.ts",
  "network/carriers/binds/leased-binds.ts",
  "network/carriers/binds/leased-carrier.ts",
  "network/carriers/http/auth.ts",
  "network/carriers/smpp/carrier.ts",
]);

/** Files that compose or submit messages, each with its row in the table of docs/security.md. */
const PAYERS: Readonly<Record<string, string>> = {
  "messaging/batches/compose-chunk.ts": "Messages, batches",
  "messaging/batches/lane.ts": "Messages, batches",
  "messaging/inbound/receive.ts": "Keyword replies",
  "messaging/outbound/dispatch-lane.ts": "Retries",
  "messaging/outbound/due-rows.ts": "Messages, batches",
  "messaging/outbound/due-sends.ts": "Messages, batches",
  "messaging/send/send.ts": "Messages, batches",
  "messaging/verify/second-code.ts": "Second codes",
  "messaging/verify/start/compose-code.ts": "`POST /v1/verify`",
  "messaging/verify/start/start.ts": "`POST /v1/verify`",
  "surfaces/twilio-api/replies.ts": "TwiML replies",
  "surfaces/verified-numbers/send-code.ts": "`POST /v1/verified_numbers`",
};

test("every file that sends a message has a payer in docs/security.md", async () => {
  const files = (await readdir(SOURCES, { recursive: true })).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  const callers: string[] = [];
  for (const file of files) {
    if (DEFINITIONS.has(file)) continue;
    if (CALLS.test(await readFile(join(SOURCES, file), "utf8"))) callers.push(file);
  }
  assert.deepEqual(
    new Set(callers),
    new Set(Object.keys(PAYERS)),
    "Add the file here, and its payer to the table of docs/security.md.",
  );
  const page = await readFile(join(ROOT, "docs/security.md"), "utf8");
  const rows = page.split("### Payer of each real message")[1]?.split("\n## ")[0] ?? "";
  for (const row of new Set(Object.values(PAYERS))) {
    assert.ok(rows.includes(`\n| ${row}`), `no payer for ${row}`);
  }
});
