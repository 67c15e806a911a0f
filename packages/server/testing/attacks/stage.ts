import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { cloneDatabase, ownerOf } from "../cluster.ts";
import { OPERATOR_TOKEN, TEST_SHARDS } from "../kit.ts";
import { type Program, startProgram } from "../program.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import {
  ATTACKER_NUMBER,
  FROM_OUR_PAGE,
  KNOWN_EMAIL,
  KNOWN_PASSWORD,
  OWN_PHONE,
} from "./attack.ts";
import { fillBusyAccount } from "./busy-account.ts";
import { writeCarriersFile } from "./carrier.ts";
import type { Visit } from "./flood.ts";
import { startHostileServer } from "./hostile-server.ts";

/** Number of the first run's account. */
const FIRST_NUMBER = "+15005550100";
/** Passkeys need a name. */
const PUBLIC_URL = "http://localhost";
const CONTROL_NUMBER = "+14155550101";
/** Number of attacking accounts: together they can exceed what a process buffers of request bodies. */
const ATTACKERS = 6;

/** Account that sends messages during the attack. */
export interface Sender {
  readonly url: string;
  readonly key: string;
  readonly from: string;
}

export interface AttackedStage {
  /** The attacked server, and the account that sends through it. */
  readonly server: { readonly url: string; readonly pid: number; readonly sender: Sender };
  readonly attackerKeys: readonly string[];
  readonly hostileUrl: string;
  /** Session of an operator who visits the first attacker's account. */
  readonly visit: Visit;
}

/** A stage whose database the test can fill. */
export interface Stage extends AttackedStage {
  /** Inserts the history of a busy account into the visited account, once. */
  fillBusyAccount(): Promise<void>;
}

/** Starts one server with its own database, as a person would. */
export async function setStage(t: TestContext): Promise<Stage> {
  const hostileUrl = await startHostileServer(t);
  const dataDir = await temporaryFolder(t);
  const program = startProgram(t, { env: await settings(dataDir, hostileUrl) });
  const stage = await stageOf(program, await firstSender(program), hostileUrl);
  let filled: Promise<void> | null = null;
  return {
    ...stage,
    fillBusyAccount() {
      filled ??= fillBusyAccount(dataDir, stage.visit.accountId);
      return filled;
    },
  };
}

/**
 * Starts two servers on one database and attacks one. Sends through the other measure the speed of the
 * machine at the same time.
 */
export async function setStageWithControl(
  t: TestContext,
): Promise<{ stage: AttackedStage; control: Sender }> {
  const database = await cloneDatabase();
  t.after(database.drop);
  const { host, port, user } = database.connection;
  const owner = await ownerOf(database.connection);
  const at = (given: typeof owner) =>
    `postgres://${given.user}@/${given.database}?host=${encodeURIComponent(given.host ?? "")}&port=${given.port}`;
  assert.ok(host && port && user);
  const databases = { DATABASE_OWNER_URL: at(owner), DATABASE_URL: at(database.connection) };
  const secret = { LONGWAVE_SECRET_KEY: Buffer.alloc(32, 7).toString("hex") };
  const hostileUrl = await startHostileServer(t);
  const start = async () =>
    startProgram(t, {
      env: { ...(await settings(await temporaryFolder(t), hostileUrl)), ...databases, ...secret },
    });
  const attacked = await start();
  // The first user signs in before the second server starts: that start replaces the first-run link.
  const stage = await stageOf(attacked, await firstSender(attacked), hostileUrl);
  const url = await urlOf(await start());
  const { key } = await newAccount(url, "Control", CONTROL_NUMBER);
  return { stage, control: { url, key, from: CONTROL_NUMBER } };
}

/** Settings that let the server reach the hostile server on this machine. */
async function settings(dataDir: string, hostileUrl: string): Promise<Record<string, string>> {
  return {
    LONGWAVE_CARRIERS: await writeCarriersFile(dataDir, hostileUrl),
    LONGWAVE_ALLOW_TARGETS: new URL(hostileUrl).host,
    LONGWAVE_IMPORT_TWILIO_URL: hostileUrl,
    LONGWAVE_TWILIO_API: "1",
    // Reset links are mailed through a mail server that accepts connections and never responds.
    LONGWAVE_PUBLIC_URL: PUBLIC_URL,
    LONGWAVE_SMTP_URL: `smtp://${new URL(hostileUrl).host}?from=texts@example.com`,
    LONGWAVE_DATA: dataDir,
    LONGWAVE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    LONGWAVE_SHARDS: TEST_SHARDS,
    PORT: "0",
  };
}

async function urlOf(program: Program): Promise<string> {
  const [, url = ""] = await program.says(/ready.*(http:\/\/127\.0\.0\.1:\d+)/);
  return url;
}

async function firstSender(program: Program): Promise<Sender> {
  const url = await urlOf(program);
  const [key] = await program.says(/svc_sk_test_\w+/);
  return { url, key, from: FIRST_NUMBER };
}

/** The first run's account sends; other accounts attack. */
async function stageOf(
  program: Program,
  sender: Sender,
  hostileUrl: string,
): Promise<AttackedStage> {
  const { url } = sender;
  const attackers: NewAccount[] = [];
  for (let count = 1; count <= ATTACKERS; count += 1) {
    const number = count === 1 ? ATTACKER_NUMBER : null;
    attackers.push(await newAccount(url, `A ${count}`, number));
  }
  const [first] = attackers;
  const phones = `/operator/v1/accounts/${first?.id}/verified_numbers`;
  await post(url, phones, OPERATOR_TOKEN, { phone_number: OWN_PHONE });
  return {
    server: { url, pid: program.child.pid ?? 0, sender },
    attackerKeys: attackers.map(({ key }) => key),
    hostileUrl,
    visit: await visitTo(program, url, attackers[0]?.id ?? ""),
  };
}

/** Signs in with the first-run link and visits an account. */
async function visitTo(program: Program, url: string, accountId: string): Promise<Visit> {
  const [, token] = await program.says(/\/first#(\S+)/);
  const ask = (path: string, more: RequestInit) =>
    fetch(`${url}/console/v1${path}`, { method: "POST", ...more });
  const person = { token, email: KNOWN_EMAIL, name: "Ada", password: KNOWN_PASSWORD };
  const headers = { ...FROM_OUR_PAGE, "content-type": "application/json" };
  const entered = await ask("/links/redeem", { headers, body: JSON.stringify(person) });
  assert.equal(entered.status, 200, await entered.text());
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
  const opened = await ask(`/visits/${accountId}`, { headers: { ...FROM_OUR_PAGE, cookie } });
  assert.equal(opened.status, 200, await opened.text());
  return { cookie, accountId };
}

interface NewAccount {
  readonly id: string;
  readonly key: string;
}

async function newAccount(url: string, name: string, number: string | null): Promise<NewAccount> {
  const { id } = await post(url, "/operator/v1/accounts", OPERATOR_TOKEN, { name });
  const keys = `/operator/v1/accounts/${id}/keys`;
  const { key } = await post(url, keys, OPERATOR_TOKEN, { mode: "test" });
  if (number !== null) await post(url, "/v1/numbers", key, { phone_number: number });
  return { id, key };
}

async function post(url: string, path: string, bearer: string, body: object) {
  const answer = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  assert.equal(answer.status, 201, await answer.clone().text());
  return (await answer.json()) as { id: string; key: string };
}
