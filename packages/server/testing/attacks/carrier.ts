import { createHmac } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tokenOf } from "../../src/network/carriers/http/signature.ts";
import { ATTACKER_NUMBER, type Attack, OWN_PHONE } from "./attack.ts";
import { flood, pipelined, wire } from "./flood.ts";

/** An HTTP carrier whose callbacks the attacker controls; stage.ts configures it. */
const CARRIER = "hostile";
/** An honest carrier, whose signature covers the body: anonymous clients get as far as the body. */
const SIGNING_CARRIER = "signing";
const SECRET = "attacks-of-a-carrier";
/** Nearly the largest body of a callback. */
const BODY_BYTES = 250 * 1024;

export async function writeCarriersFile(folder: string, hostileUrl: string): Promise<string> {
  const file = join(folder, "carriers.json");
  const carrier = {
    name: CARRIER,
    type: "http",
    url: `${hostileUrl}/carrier`,
    private_address: true,
    body: { from: "{{from}}", to: "{{to}}", text: "{{body}}" },
    answer: { id: "id" },
    callbacks: {
      secret: SECRET,
      receipts: { id: "id", status: "status" },
      inbound: { id: "id", from: "from", to: "to", body: "text" },
    },
  };
  const signing = {
    ...carrier,
    name: SIGNING_CARRIER,
    numbers: ["+14155550190"],
    callbacks: {
      ...carrier.callbacks,
      signature: {
        header: "X-Signature",
        signed: "{{timestamp}}.{{body}}",
        timestamp_header: "X-Timestamp",
      },
    },
  };
  await writeFile(file, JSON.stringify({ carriers: [carrier, signing] }));
  return file;
}

const callback = (token: string, body: string, withheld = 0) =>
  wire({ method: "POST", path: `/callbacks/${CARRIER}/inbound/${token}`, body, withheld });

/** A callback of the signing carrier; guessed and withheld, or signed and whole. */
function signedCallback(body: string, isGuessed: boolean): Buffer {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const mac = createHmac("sha256", isGuessed ? "guess" : SECRET).update(`${timestamp}.${body}`);
  return wire({
    method: "POST",
    path: `/callbacks/${SIGNING_CARRIER}/receipts`,
    headers: { "x-timestamp": timestamp, "x-signature": mac.digest("hex") },
    body,
    withheld: isGuessed ? 1 : 0,
  });
}

/** Attacks of a carrier, of clients who pass for one, and of clients who make it work. */
export const CARRIER_ATTACKS: readonly Attack[] = [
  {
    name: "own phones",
    what: "sandbox messages to the account's own phone, which a carrier never accepts; none was once bounded",
    // The first fifty wait for the carrier; further messages of the day are simulated.
    meets: [201],
    run: (target) => {
      const body = JSON.stringify({ to: OWN_PHONE, from: ATTACKER_NUMBER, body: "Hello" });
      return flood(target, {
        connections: 80,
        restMs: 250,
        bytes: ({ key }) => wire({ method: "POST", path: "/v1/messages", key, body }),
      });
    },
  },
  {
    name: "carrier callbacks",
    what: "callbacks of 250 KiB with an unclosed string or one long number; 32 KiB once took 2.8 s",
    meets: [400],
    isShort: true,
    run: (target) => {
      const token = tokenOf(CARRIER, SECRET, "inbound");
      const unclosed = `{"id":"${'\\"'.repeat(BODY_BYTES / 2)}`;
      const number = `{"id":${"7".repeat(BODY_BYTES)}.}`;
      const bytes = Buffer.concat([callback(token, unclosed), callback(token, number)]);
      return flood(target, { connections: 4, from: "127.0.0.4", bytes: () => bytes });
    },
  },
  {
    name: "guessed callbacks",
    what: "callbacks with guessed tokens, whose bodies were once read first and logged one by one",
    meets: [401],
    run: (target) => {
      const path = `/callbacks/${CARRIER}/inbound/${"0".repeat(32)}`;
      const whole = { method: "POST", path, body: "{}" };
      const withheld = callback("1".repeat(32), " ".repeat(BODY_BYTES), 1);
      const bytes = Buffer.concat([pipelined(8, whole), withheld]);
      return flood(target, { connections: 20, from: "127.0.0.5", bytes: () => bytes });
    },
  },
  {
    name: "withheld callbacks",
    what: "callbacks whose last byte never comes, which once filled the memory of all callbacks for 30 s",
    meets: [200],
    meetsOnly: true,
    isShort: true,
    run: async (target) => {
      const withheld = (kib: number, from: string) =>
        flood(target, {
          connections: 64,
          from,
          once: true,
          reads: false,
          varies: true,
          bytes: () => signedCallback("x".repeat(kib * 1_024), true),
        });
      const receipt = JSON.stringify({ id: "no-such-message", status: "delivered" });
      const honest = flood(target, {
        connections: 1,
        from: "127.0.0.9",
        restMs: 50,
        varies: true,
        bytes: () => signedCallback(receipt, false),
      });
      await Promise.all([withheld(256, "127.0.0.8"), withheld(64, "127.0.0.8"), honest]);
    },
  },
];
