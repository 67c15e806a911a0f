import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog, type Log } from "./log.ts";

/** Lines of words that `log` prints. */
function printed(print: (log: Log) => void, isColored = false): string {
  let text = "";
  const write = (part: string) => {
    text += part;
  };
  const destination = { write };
  print(createLog({ level: "info", format: "text", isColored, destination }));
  return text;
}

const TIME = String.raw`\d\d:\d\d:\d\d`;

test("a terminal shows time, level, message and facts in words", () => {
  const line = printed((log) =>
    log.warn({ carrier: "main", reason: "no answer" }, "smpp: bind lost"),
  );
  assert.match(
    line,
    new RegExp(`^${TIME} warn {2}smpp: bind lost carrier=main reason="no answer"\n$`),
  );
});

test("a request reads like its call", () => {
  const fields = {
    ...{ request_id: "req_1", route: "messages.get", method: "GET", path: "/v1/messages/{id}" },
    ...{ status: 404, duration_ms: 3.61, account: "acct_1", error: "not_found" },
  };
  assert.match(
    printed((log) => log.info(fields, "http: request")),
    new RegExp(
      `^${TIME} info {2}GET /v1/messages/{id} 404 4 ms request_id=req_1 account=acct_1 error=not_found\n$`,
    ),
  );
});

test("an error's stack follows its line, and credentials stay hidden", () => {
  const err = new Error("refused by svc_sk_live_Zq7Zq7Zq7Zq7");
  const text = printed((log) => log.error({ err }, "http: request failed"));
  assert.match(
    text,
    new RegExp(
      `^${TIME} error http: request failed\n {2}Error: refused by \\[redacted\\]\n {4,}at `,
    ),
  );
});

test("foreign text can neither forge a line nor move the cursor", () => {
  const forged = "x\n12:00:00 info  all well\u001b[2J";
  const text = printed((log) => {
    log.info({ note: forged }, "test: note");
    log.error({ err: new Error(forged) }, `test: ${forged}`);
  });
  assert.ok(!text.includes("\u001b"), JSON.stringify(text));
  for (const line of text.split("\n")) assert.doesNotMatch(line, /^12:00:00 info {2}all well/);
});

test("colours appear only when asked for", () => {
  assert.ok(printed((log) => log.info("test: plain"), true).includes("\u001b[36minfo"));
  assert.ok(!printed((log) => log.info("test: plain")).includes("\u001b"));
});
