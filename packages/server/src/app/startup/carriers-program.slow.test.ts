import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { SmppClient } from "@longwave/smpp";
import { endOf, startProgram } from "../../../testing/program.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";
import { until } from "../../../testing/until.ts";

test("check-config prints each mistake of the carriers file on its own line", async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, "carriers.json");
  const entry = { name: "a", type: "smpp", host: "127.0.0.1", system_id: "us", password: "x" };
  const env = { LONGWAVE_CARRIERS: file };
  await writeFile(file, JSON.stringify({ carriers: [entry, { ...entry, bind: "both", rate: 0 }] }));
  const wrong = startProgram(t, { args: ["check-config"], env });
  assert.equal(await endOf(wrong), 1);
  const lines = wrong.stderr().split("\n");
  assert.ok(lines.some((line) => /carriers\[1\]\.bind takes "transceiver" or "tx_rx"/.test(line)));
  assert.ok(lines.some((line) => /carriers\[1\]\.rate takes a whole number/.test(line)));
  const http = {
    name: "b",
    type: "http",
    url: "https://api.example.com/messages",
    headers: { authorization: "Bearer {{env.THEIR_KEY}}" },
    body: { to: "{{to}}", text: "{{body}}", dlr: "{{receipts_url}}" },
    callbacks: { secret: "sixteen-characters", receipts: { id: "id", status: "state" } },
  };
  await writeFile(file, JSON.stringify({ carriers: [entry, http] }));
  const keyed = { ...env, THEIR_KEY: "k".repeat(32) };
  const homeless = startProgram(t, { args: ["check-config"], env: keyed });
  assert.equal(await endOf(homeless), 1);
  assert.match(
    homeless.stderr(),
    /^LONGWAVE_PUBLIC_URL is not set, but b gets its callback address/m,
  );
  const twilio = { name: "c", type: "twilio", account_sid: `AC${"0".repeat(32)}` };
  const unplaced = { ...twilio, auth_token_env: "THEIR_KEY" };
  await writeFile(file, JSON.stringify({ carriers: [unplaced] }));
  const unheard = startProgram(t, { args: ["check-config"], env: keyed });
  assert.equal(await endOf(unheard), 1);
  assert.match(
    unheard.stderr(),
    / but c gets its callback address .*\. Set it, or poll_seconds in that entry\.$/m,
  );
  const polled = { ...unplaced, name: "d", poll_seconds: 20 };
  await writeFile(file, JSON.stringify({ carriers: [entry, http, unplaced, polled] }));
  const placed = { ...keyed, LONGWAVE_PUBLIC_URL: "https://us.example" };
  const right = startProgram(t, { args: ["check-config"], env: placed });
  assert.equal(await endOf(right), 0, right.stderr());
  assert.match(right.stdout(), /^b brings receipts to \/callbacks\/b\/receipts\/[0-9a-f]{32}$/m);
  const printed = right.stdout();
  assert.match(
    printed,
    /^c is Twilio \(preset version \d\): its callbacks .* by their signature$/m,
  );
  assert.match(printed, /^d is Twilio \(preset version \d\): its lists are read every 20 s$/m);
});

test("main.js smsc accepts messages, prints them, sends receipts and writes a journal", async (t) => {
  const folder = await temporaryFolder(t);
  const journal = join(folder, "journal.ndjson");
  const program = startProgram(t, {
    args: ["smsc", "--port", "0", "--password", "secret", "--journal", journal],
  });
  const [, port] = await program.says(/listens on 127\.0\.0\.1:(\d+)/);
  let receipts = 0;
  const client = new SmppClient({
    hosts: [{ host: "127.0.0.1", port: Number(port) }],
    systemId: "me",
    password: "secret",
    onDelivery: async () => {
      receipts += 1;
      return 0;
    },
  });
  client.start();
  t.after(() => client.stop());
  await until(() => client.state().state === "up");
  const outcome = await client.submit({
    source_addr: "14155550100",
    destination_addr: "14155552671",
    registered_delivery: 1,
    short_message: Buffer.from("Hello"),
  });
  assert.equal(outcome.kind, "answered");
  await program.says(/me: 14155550100 → 14155552671 \[accept\] "Hello"/);
  await until(() => receipts === 1);
  assert.match(await readFile(journal, "utf8"), /"kind":"submit".*"text":"Hello"/);
  const taken = startProgram(t, { args: ["smsc", "--port", port as string] });
  assert.equal(await endOf(taken), 1);
  assert.match(taken.stderr(), /^smsc: listen EADDRINUSE: .* \(smsc --help says more\)\n$/);
  const help = startProgram(t, { args: ["smsc", "--help"] });
  assert.equal(await endOf(help), 0);
  assert.match(help.stdout(), /\+1 500 555 9001 {2}refused/);
});

test("main.js mock starts a double, and prints its entry and variables", async (t) => {
  const program = startProgram(t, { args: ["mock", "twilio", "--port", "0"] });
  const [, url] = await program.says(/listens on (http:\/\/127\.0\.0\.1:\d+)\./);
  await program.says(/export TWILIO_AUTH_TOKEN='[0-9a-f]{32}'/);
  assert.match(program.stdout(), /"type":"twilio","account_sid":"AC[0-9a-f]{32}"/);
  const sid = /AC[0-9a-f]{32}/.exec(program.stdout())?.[0];
  const login = `Basic ${Buffer.from(`${sid}:0123456789abcdef0123456789abcdef`).toString("base64")}`;
  const answer = await fetch(`${url}/2010-04-01/Accounts/${sid}/Messages.json`, {
    method: "POST",
    headers: { authorization: login },
    body: new URLSearchParams({ To: "+14155552671", From: "+14155550100", Body: "Hello" }),
  });
  assert.equal(answer.status, 201);
  await program.says(/\+14155550100 → \+14155552671 "Hello"/);
  const unknown = startProgram(t, { args: ["mock", "nobody"] });
  assert.equal(await endOf(unknown), 2);
  assert.match(unknown.stderr(), /^mock: takes one provider of telnyx, twilio, /);
});
