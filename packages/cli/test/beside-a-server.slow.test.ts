import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../../server/testing/free-port.ts";
import { startProgram } from "../../server/testing/program.ts";
import { READY } from "../../server/testing/restore-drill.ts";
import { temporaryFolder } from "../../server/testing/temporary-folder.ts";
import { commandLine } from "./longwave.ts";

const LINK = /^(http:\/\/127\.0\.0\.1:\d+)\/\S*?([\w-]{43})\n$/;

/** Follows a console link, and signs up. */
async function follow(link: string, email: string): Promise<void> {
  const [, origin = "", token = ""] = LINK.exec(link) ?? assert.fail(`no link: ${link}`);
  const response = await fetch(`${origin}/console/v1/links/redeem`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "sec-fetch-site": "same-origin",
      "longwave-console": "1",
    },
    body: JSON.stringify({ token, email, password: "a long enough sentence 1" }),
  });
  assert.equal(response.status, 200, await response.text());
}

test("commands find the server of their folder at any port, until it stops", async (t) => {
  const data = await temporaryFolder(t);
  const program = startProgram(t, { env: { LONGWAVE_DATA: data, PORT: "0" } });
  const [, url = ""] = await program.says(READY);
  const cli = commandLine(t, { LONGWAVE_DATA: data });
  const sent = await cli.run(["send", "+15005550000", "Hello"]);
  assert.equal(sent.code, 0, sent.stderr);
  const doctor = await cli.run(["doctor"]);
  assert.ok(doctor.stdout.includes(`answers at ${url}`), doctor.stdout);
  const link = await cli.run(["console-link"]);
  assert.ok(link.stdout.startsWith(`${url}/`), link.stdout);
  program.child.kill("SIGTERM");
  assert.equal(await program.ended, 0);
  assert.ok(!existsSync(join(data, "listening.json")));
});

test("console-link and doctor find the server that runs in the data folder", async (t) => {
  const data = await temporaryFolder(t);
  const port = String(await freePort());
  const env = { LONGWAVE_DATA: data, PORT: port };
  const cli = commandLine(t, env);

  const nowhere = await cli.run(["console-link"]);
  assert.deepEqual([nowhere.code, nowhere.stdout], [2, ""], nowhere.stderr);
  assert.match(nowhere.stderr, /holds no database of Longwave: name another LONGWAVE_DATA/);
  assert.deepEqual(readdirSync(data), [], "nothing was made");

  await startProgram(t, { env }).says(READY);
  const first = await cli.run(["console-link"]);
  assert.equal(first.code, 0, first.stderr);
  await follow(first.stdout, "ada@example.com");
  const again = await cli.run(["console-link"]);
  assert.deepEqual([again.code, again.stdout], [3, ""]);
  assert.match(again.stderr, /^Somebody can sign in already\. Name them:/m);
  const nobody = await cli.run(["console-link", "--email", "nobody@example.com"]);
  assert.deepEqual([nobody.code, nobody.stdout], [3, ""]);
  assert.match(nobody.stderr, /^Nobody signs in with nobody@example\.com\.$/m);
  const known = await cli.run(["console-link", "--email", "ada@example.com"]);
  assert.equal(known.code, 0, known.stderr);
  assert.match(known.stdout, LINK);

  const { stdout } = await cli.run(["doctor"]);
  assert.match(stdout, new RegExp(`^ok +server +answers at http://127.0.0.1:${port}$`, "m"));
  assert.doesNotMatch(stdout, /cannot be opened/);
  // Through another address, the port belongs to the same server.
  const elsewhere = await cli.run(["doctor", "--server", "http://127.0.0.1:1"]);
  assert.match(elsewhere.stdout, /^look +server +no server answers at http:\/\/127\.0\.0\.1:1:/m);
  assert.match(
    elsewhere.stdout,
    new RegExp(`^ok +port +${port} on 127.0.0.1 is where the server of this data folder`, "m"),
  );
  const busy = await cli.run(["hold"]);
  assert.deepEqual([busy.code, busy.stdout], [5, ""]);
  assert.match(busy.stderr, /is in use by another Longwave/);
});
