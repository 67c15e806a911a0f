import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { callFrom, createVisitors, PASSWORD } from "../../testing/console-users.ts";
import { suiteKit } from "../../testing/suite.ts";

const MADE_UP = "A".repeat(43);
const WRONG = "not the password";
const NEIGHBOURS = Array.from({ length: 8 }, (_, at) => `127.0.1.${at + 1}`);
/**
 * Pace of an attacker whose address is throttled. A refusal costs the server no hash, and a busy loop of refusals
 * would only fill the thread that this test shares with the server.
 */
const REFUSED_GUESS_MS = 50;

describe("floods of guesses at links and passwords", () => {
  const kit = suiteKit();
  const { call, asOwner } = createVisitors(kit);
  const enter = (address: string, email: string, more: object = {}) =>
    callFrom(kit(), address, "/sign-in", { email, password: PASSWORD, ...more });

  it("made-up links and unknown users from eight addresses lock out nobody else", async () => {
    await asOwner();
    const over = new AbortController();
    const guess = async (address: string, at: number) => {
      while (!over.signal.aborted) {
        const given = { token: MADE_UP, password: PASSWORD };
        await callFrom(kit(), address, "/links/redeem", given);
        const unknown = `nobody-${at}@example.com`;
        const { status } = await enter(address, unknown, { password: WRONG });
        if (status === 429) await sleep(REFUSED_GUESS_MS);
      }
    };
    const guesses = NEIGHBOURS.flatMap((address) => [0, 1, 2, 3].map((at) => guess(address, at)));
    const statuses: number[] = [];
    for (let count = 1; count <= 6; count += 1) {
      statuses.push((await enter("127.0.2.1", "ada@example.com")).status);
    }
    over.abort();
    await Promise.all(guesses);
    assert.deepEqual(statuses, Array(6).fill(200));
  });

  it("withheld forms from sixteen addresses keep nobody from signing in", async (t) => {
    await asOwner();
    const clients: Socket[] = [];
    t.after(() => {
      for (const client of clients) client.destroy();
    });
    const { port } = new URL(kit().url);
    const withhold = (localAddress: string, bytes: number) =>
      new Promise<void>((resolve) => {
        const client = connect({ port: Number(port), host: "127.0.0.1", localAddress });
        clients.push(client);
        client.on("error", () => {});
        // The server refuses a form at once, or waits for its last byte.
        client.once("data", () => resolve());
        const head = "POST /console/v1/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nLongwave-Console: 1";
        client.write(`${head}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json`);
        client.write(`\r\nContent-Length: ${bytes}\r\n\r\n${" ".repeat(bytes - 1)}`);
      });
    const addresses = Array.from({ length: 17 }, (_, at) => `127.0.3.${at + 1}`);
    const refused = addresses.flatMap((address) =>
      [1, 2, 3, 4].map(() => withhold(address, 64 * 1_024)),
    );
    await Promise.race(refused);
    const { status } = await enter("127.0.2.2", "ada@example.com");
    assert.equal(status, 200);
  });

  it("guesses at many users from one network throttle all sign-ins of that network", async () => {
    await asOwner();
    await kit().advance(16 * 60);
    const wrong = (index: number) =>
      call("POST", "/sign-in", {
        body: { email: `nobody-${index}@example.com`, password: "not the password" },
      });
    for (let index = 1; index <= 20; index += 1) {
      assert.equal((await wrong(index)).body.error.code, "invalid_credentials", `guess ${index}`);
    }
    const refused = await wrong(21);
    assert.equal(refused.status, 429);
    assert.match(refused.body.error.message, /from your network/);
    const right = { email: "ada@example.com", password: PASSWORD };
    assert.equal((await call("POST", "/sign-in", { body: right })).status, 429);
    await kit().advance(31);
    assert.equal((await call("POST", "/sign-in", { body: right })).status, 200);
    await wrong(22);
    await kit().advance(31);
    assert.equal((await call("POST", "/sign-in", { body: right })).status, 429, "twice as long");
    await kit().advance(16 * 60);
    assert.equal((await call("POST", "/sign-in", { body: right })).status, 200);
  });
});
