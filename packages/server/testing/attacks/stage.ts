import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { cloneDatabase, ownerOf } from "../cluster.ts";
import { OPERATOR_TOKEN, TEST_SHARDS } from "../kit.ts";
import { type Program, startProgram, temporaryFolder } from "../program.ts";
import { ATTACKER_NUMBER, FROM_OUR_PAGE, KNOWN_EMAIL } from "./attack.ts";
import { leavePast } from "./busy-account.ts";
import type { Visit } from "./flood.ts";
import { startTrap } from "./hostile-server.ts";

/** The number that the account of the first run has. */
const FIRST_NUMBER = "+15005550100";
const PUBLIC_URL = "http://127.0.0.1";
const CONTROL_NUMBER = "+14155550101";
/** Those who are in league: together they could fill what a process holds of bodies, and more. */
const ATTACKERS = 6;

/** Whoever sends texts while somebody else attacks. */
export interface Sender {
  readonly url: string;
  readonly key: string;
  readonly from: string;
}

export interface AttackedStage {
  /** The server that is attacked, and who sends through it. */
  readonly server: { readonly url: string; readonly pid: number; readonly sender: Sender };
  readonly attackerKeys: readonly string[];
  readonly trapUrl: string;
  /** Whoever runs the installation, signed in to the console, looks at the first attacker's account. */
  readonly visit: Visit;
}

/** With a database that the tests may write to, too. */
export interface Stage extends AttackedStage {
  /** Gives the account that is visited what one has that has been busy for days, once. */
  leavePast(): Promise<void>;
}

/** One server with a database of its own, as a person would start it. */
export async function setStage(t: TestContext): Promise<Stage> {
  const trapUrl = await startTrap(t);
  const dataDir = await temporaryFolder(t);
  const program = startProgram(t, { env: settings(dataDir, trapUrl) });
  const stage = await stageOf(program, await firstSender(program), trapUrl);
  let left: Promise<void> | null = null;
  return {
    ...stage,
    leavePast() {
      left ??= leavePast(dataDir, stage.visit.accountId);
      return left;
    },
  };
}

/**
 * Two servers on one database, of which one is attacked: through the other a sender sees how quick
 * this machine is at the same time.
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
  const trapUrl = await startTrap(t);
  const start = async () =>
    startProgram(t, {
      env: { ...settings(await temporaryFolder(t), trapUrl), ...databases, ...secret },
    });
  const attacked = await start();
  // The first person comes in before the second server starts: its start ends the first server's link.
  const stage = await stageOf(attacked, await firstSender(attacked), trapUrl);
  const url = await urlOf(await start());
  const { key } = await newAccount(url, "Control", CONTROL_NUMBER);
  return { stage, control: { url, key, from: CONTROL_NUMBER } };
}

/** What the attackers' addresses lead to may be reached, although it is on this machine. */
function settings(dataDir: string, trapUrl: string): Record<string, string> {
  return {
    LONGWAVE_ALLOW_TARGETS: new URL(trapUrl).host,
    LONGWAVE_IMPORT_TWILIO_URL: trapUrl,
    LONGWAVE_TWILIO_API: "1",
    // Links for new passwords are mailed, by a mail server that takes connections and says nothing.
    LONGWAVE_PUBLIC_URL: PUBLIC_URL,
    LONGWAVE_SMTP_URL: `smtp://${new URL(trapUrl).host}?from=texts@example.com`,
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

/** The account of the first run sends; the attackers are others. */
async function stageOf(program: Program, sender: Sender, trapUrl: string): Promise<AttackedStage> {
  const { url } = sender;
  const attackers: NewAccount[] = [];
  for (let count = 1; count <= ATTACKERS; count += 1) {
    const number = count === 1 ? ATTACKER_NUMBER : null;
    attackers.push(await newAccount(url, `A ${count}`, number));
  }
  return {
    server: { url, pid: program.child.pid ?? 0, sender },
    attackerKeys: attackers.map(({ key }) => key),
    trapUrl,
    visit: await visitTo(program, url, attackers[0]?.id ?? ""),
  };
}

/** The person of the first link comes in, and opens somebody's account. */
async function visitTo(program: Program, url: string, accountId: string): Promise<Visit> {
  const [, token] = await program.says(/\/first#(\S+)/);
  const ask = (path: string, more: RequestInit) =>
    fetch(`${url}/console/v1${path}`, { method: "POST", ...more });
  const person = { token, email: KNOWN_EMAIL, name: "Ada", password: "correct horse battery" };
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
