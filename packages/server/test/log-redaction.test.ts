import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "../src/core/platform/log.ts";
import { firstLink } from "../src/surfaces/console/index.ts";
import { giveNumber } from "../testing/give-number.ts";
import { createHook, LOCAL_TARGETS, startHookReceiver } from "../testing/hook-receiver.ts";
import { type Kit, OPERATOR_TOKEN, startKit } from "../testing/kit.ts";
import { until } from "../testing/until.ts";

/** Markers that appear only in private data. */
const TEXT = "Xylophone-7431";
const REPLY = "Quetzal-9902";
const PERSON = "Zebulon-5127";
const PASSWORD = "Wolverine-6618-long-enough";

/** Makes inserts of messages fail, so that PostgreSQL's error contains the row. */
const BREAK = "alter table messages add constraint broken check (false) not valid";
const MEND = "alter table messages drop constraint broken";

/** Sends every kind of request with private data; returns the secrets it saw. */
async function sendPrivateData(kit: Kit, hookUrl: string): Promise<string[]> {
  const secrets: string[] = [kit.testKey, kit.liveKey, OPERATOR_TOKEN];
  const post = async (path: string, body: unknown, key = kit.testKey) =>
    (await kit.request("POST", path, { body, key })).body;
  secrets.push((await createHook(kit, hookUrl)).secret);
  const sent = { from: "+15005550100", to: "+15005550000", body: TEXT };
  await post("/v1/messages", sent);
  await post("/v1/messages", { ...sent, to: "+15005550004" });
  await post("/v1/messages", { ...sent, unknown: TEXT });
  await post("/v1/messages", `{"from": "${TEXT}`);
  await post("/v1/test/inbound", { from: "+14155550111", to: "+15005550100", body: TEXT });
  await post("/v1/batches", {
    from: "+15005550100",
    body: `${TEXT} {{name}}`,
    recipients: [{ to: "+15005550000", variables: { name: PERSON } }],
  });
  await post("/v1/contacts", { phone_number: "+14155550112", name: PERSON, email: "a@b.example" });
  await post("/v1/track", { event: "signed_up", phone_number: "+14155550112" });
  const verification = await post("/v1/verify", { phone: "+15005550000", app_name: "Acme" });
  secrets.push(verification.test_code);
  await post("/v1/verify/check", { phone: "+15005550000", code: "000000" });
  await post("/v1/verify/check", { phone: "+15005550000", code: verification.test_code });
  await post("/v1/messages", sent, `${kit.testKey.slice(0, -1)}!`);
  await kit.request("GET", `/v1/messages?api_key=${kit.testKey}`);
  await kit.rows(BREAK);
  const broken = await kit.request("POST", "/v1/messages", { body: sent });
  assert.equal(broken.status, 500);
  await kit.rows(MEND);
  await signIn(kit, secrets);
  return secrets;
}

/** Signs in the first user; collects the link token, password and cookie. */
async function signIn(kit: Kit, secrets: string[]): Promise<void> {
  const token = (await firstLink(kit.deps, kit.url))?.split("#")[1] ?? "";
  const headers = {
    "sec-fetch-site": "same-origin",
    "longwave-console": "1",
    "content-type": "application/json",
  };
  const post = (path: string, body: object) =>
    fetch(`${kit.url}/console/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  await post("/links/redeem", {
    token,
    email: "ada@example.com",
    name: PERSON,
    password: PASSWORD,
  });
  await post("/sign-in", { email: "ada@example.com", password: `${PASSWORD} and wrong` });
  const answer = await post("/sign-in", { email: "ada@example.com", password: PASSWORD });
  const cookie = /=([^;]+)/.exec(answer.headers.get("set-cookie") ?? "")?.[1] ?? "";
  assert.equal(answer.status, 200);
  secrets.push(token, PASSWORD, cookie);
}

test("a trace log contains no message body, key, code, secret, password or name", async (t) => {
  const lines: string[] = [];
  const log = createLog({
    level: "trace",
    destination: { write: (line: string) => lines.push(line) },
  });
  const kit = await startKit(t, LOCAL_TARGETS, { log });
  const receiver = await startHookReceiver(t);
  receiver.behave("/in", (response) => response.writeHead(500).end(REPLY));
  await giveNumber(kit);
  const secrets = await sendPrivateData(kit, receiver.url("/in"));
  await kit.advance(120);
  await until(() => receiver.at("/in").length > 5);
  const text = lines.join("");
  // The log has requests, the injected error, and failed webhooks.
  assert.match(text, /"route":"messages\.send"/);
  assert.match(text, /violates check constraint/);
  const isLogged = (word: string) =>
    // A six-digit code may be part of an id by chance.
    /^\d{6}$/.test(word)
      ? new RegExp(`(?<![\\w.-])${word}(?![\\w.-])`).test(text)
      : text.includes(word);
  assert.ok(secrets.every((secret) => secret.length >= 6));
  assert.deepEqual([...secrets, TEXT, REPLY, PERSON].filter(isLogged), []);
});
