import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, OPERATOR_TOKEN, startKit } from "../../../testing/kit.ts";
import { createLog } from "../../core/platform/log.ts";

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly route?: string;
  readonly [field: string]: unknown;
}

const INFO = 30;

/** A server with a readable log. */
async function startLogged(
  t: TestContext,
  level: string,
): Promise<{ kit: Kit; text: () => string; requests: () => Line[] }> {
  let text = "";
  const write = (line: string) => {
    text += line;
  };
  const kit = await startKit(t, {}, { log: createLog({ level, destination: { write } }) });
  const requests = () =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Line)
      .filter((line) => line.msg === "http: request");
  return { kit, text: () => text, requests };
}

test("a request is one line: its id, route, status, duration and account", async (t) => {
  const { kit, requests } = await startLogged(t, "info");
  const answer = await kit.request("GET", "/v1/messages?to=%2B14155550123&limit=1", {
    key: kit.testKey,
  });
  const [line, ...more] = requests();
  assert.deepEqual(more, []);
  assert.equal(line?.level, INFO);
  assert.equal(line?.["request_id"], answer.headers.get("x-request-id"));
  assert.equal(line?.route, "messages.list");
  assert.equal(line?.["method"], "GET");
  assert.equal(line?.["path"], "/v1/messages");
  assert.equal(line?.["status"], 200);
  assert.equal(typeof line?.["duration_ms"], "number");
  assert.match(String(line?.["account"]), /^acct_/);
  assert.ok(!JSON.stringify(line).includes("4155550123"), "the query is somebody's business");
});

test("a refusal logs its code; anonymous clients have no account; the operator has a field of its own", async (t) => {
  const { kit, requests } = await startLogged(t, "debug");
  await kit.request("GET", "/v1/account", { key: "svc_sk_test_nonsense" });
  await kit.request("GET", "/v1/nothing/here", { key: kit.testKey });
  await kit.operator("GET", "/accounts");
  const shown = requests().map((line) => [line.route, line["account"], line["error"]]);
  assert.deepEqual(shown[0], ["account.get", null, "invalid_api_key"]);
  assert.equal(shown[1]?.[0], "unmatched");
  assert.equal(shown[1]?.[2], "not_found");
  assert.deepEqual(shown[2], ["operator.accounts.list", "operator", undefined]);
});

test("health checks and pages are logged at debug", async (t) => {
  const quiet = await startLogged(t, "info");
  await fetch(`${quiet.kit.url}/healthz`);
  assert.deepEqual(quiet.requests(), []);
  const full = await startLogged(t, "debug");
  await fetch(`${full.kit.url}/healthz`);
  assert.deepEqual(
    full.requests().map(({ route }) => route),
    ["/healthz"],
  );
});

test("a 5xx has a line for the request and one with its cause", async (t) => {
  const { kit, requests, text } = await startLogged(t, "info");
  await kit.rows("alter table account_counters rename to account_counters_away");
  const answer = await kit.request("GET", "/v1/account");
  assert.equal(answer.status, 500);
  const [line] = requests();
  assert.equal(line?.level, INFO);
  assert.equal(line?.["status"], 500);
  assert.match(
    text(),
    new RegExp(`"request_id":"${answer.body.error.request_id}".*http: request failed`),
  );
});

test("answers are counted by route and class; replays and rate refusals separately", async (t) => {
  const { kit } = await startLogged(t, "silent");
  await kit.operator("PATCH", `/accounts/${(await kit.request("GET", "/v1/account")).body.id}`, {
    rate_limit: 1,
  });
  const statuses = await Promise.all(
    Array.from({ length: 4 }, async () => (await kit.request("GET", "/v1/account")).status),
  );
  assert.ok(statuses.includes(429));
  const headers = { "idempotency-key": "once" };
  for (let times = 0; times < 2; times += 1) {
    await kit.request("POST", "/operator/v1/accounts", {
      key: OPERATOR_TOKEN,
      headers,
      body: { name: "Counted" },
    });
  }
  const text = await (await fetch(`${kit.url}/metrics`)).text();
  const count = (series: string) =>
    Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${series} `))
        ?.split(" ")
        .at(-1),
    );
  const name = "longwave_http_request_duration_seconds_count";
  const refused = statuses.filter((status) => status === 429).length;
  assert.equal(count(`${name}{route="account.get",status="4xx"}`), refused);
  assert.equal(count(`${name}{route="account.get",status="2xx"}`), 1 + statuses.length - refused);
  assert.equal(count(`${name}{route="operator.accounts.create",status="2xx"}`), 2);
  assert.equal(count("longwave_rate_limited_total"), refused);
  assert.equal(count("longwave_idempotent_replays_total"), 1);
});

test("each series of the metrics appears once, however many messages were sent", async (t) => {
  const { kit } = await startLogged(t, "silent");
  const from = await giveNumber(kit);
  const sizeAfter = async (sends: number) => {
    for (let sent = 0; sent < sends; sent += 1) {
      const body = { from, to: "+15005550000", body: "Hello" };
      assert.equal((await kit.request("POST", "/v1/messages", { body })).status, 201);
    }
    const text = await (await fetch(`${kit.url}/metrics`)).text();
    const series = text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => line.slice(0, line.lastIndexOf(" ")));
    assert.deepEqual(
      series.filter((name, index) => series.indexOf(name) !== index),
      [],
    );
    return series.length;
  };
  await sizeAfter(2);
  assert.equal(await sizeAfter(5), await sizeAfter(5));
});

test("confidential values reach the log at no level", async (t) => {
  const { kit, text } = await startLogged(t, "trace");
  const secrets = ["a very private text", "Zq7Zq7Zq7Zq7", kit.testKey, kit.liveKey, OPERATOR_TOKEN];
  await kit.request("POST", "/v1/messages", {
    body: { from: "+15005550100", to: "+15005550000", body: secrets[0] },
  });
  await kit.request("POST", "/v1/messages", { body: `{"body": "${secrets[0]}", broken` });
  await kit.request("GET", `/v1/messages?api_key=${secrets[1]}`, { key: null });
  await kit.request("GET", "/v1/account", { key: `sk_live_${secrets[1]}` });
  await kit.request("GET", "/v1/account", {
    headers: { cookie: `session=${secrets[1]}`, "x-anything": `Bearer ${secrets[1]}` },
  });
  const account = await kit.request("GET", "/v1/account");
  const minted = await kit.operator("POST", `/accounts/${account.body.id}/keys`, { mode: "test" });
  secrets.push(minted.body.key);
  await kit.rows("alter table account_counters rename to account_counters_away");
  await kit.request("GET", "/v1/account");
  assert.match(text(), /http: request failed/);
  for (const secret of secrets) assert.ok(!text().includes(secret), `the log has ${secret}`);
});
