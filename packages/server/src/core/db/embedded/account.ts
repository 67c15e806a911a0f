import { spawn } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { EmbeddedFailure, errorCode } from "./failure.ts";

/** System account that PostgreSQL runs under when Longwave itself is root. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * In order of preference. PostgreSQL looks its account up by name, so a numeric id is not enough. Never `nobody`, which
 * other programs share.
 */
const OWN_ACCOUNT = "longwave";
const UNPRIVILEGED_ACCOUNTS = ["postgres", "_postgres", OWN_ACCOUNT] as const;

export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Chooses an unprivileged account, because PostgreSQL refuses to run as root; creates one if none exists. An existing
 * folder keeps its owner: installing Debian's PostgreSQL later adds the account `postgres`, and existing data must stay
 * readable.
 */
export async function accountFor(
  home: string,
  progress: (line: string) => void = () => {},
): Promise<Account | undefined> {
  if (!runsAsRoot()) return undefined;
  const accounts = await readAccounts();
  const owner = await ownerOf(home);
  if (owner !== undefined && owner !== 0) {
    const known = accounts.find((account) => account.uid === owner);
    if (known !== undefined && known.name !== SHARED_ACCOUNT) return known;
    const whose = known
      ? "belongs to nobody, whom other programs run as, too"
      : `belongs to user id ${owner}, which has no account on this machine`;
    const name = ownAccount(accounts)?.name ?? OWN_ACCOUNT;
    throw new EmbeddedFailure(
      `The database folder ${home} ${whose}: run 'chown -R ${name} ${home}/', or set DATABASE_URL to use another PostgreSQL.`,
    );
  }
  const found = ownAccount(accounts);
  if (found !== undefined) return found;
  progress(`making the system account ${OWN_ACCOUNT}, as which PostgreSQL runs`);
  const made = (await makeAccount()) ? ownAccount(await readAccounts()) : undefined;
  if (made !== undefined) return made;
  throw new EmbeddedFailure(
    `PostgreSQL does not run as root, and this machine has no account of its own for it: run 'useradd --system ${OWN_ACCOUNT}', start Longwave as another user, or set DATABASE_URL to use another PostgreSQL.`,
  );
}

/** Other programs run under this account as well, and could read the database. */
const SHARED_ACCOUNT = "nobody";

async function readAccounts(): Promise<Account[]> {
  return parsePasswd(await readFile("/etc/passwd", "utf8"));
}

function ownAccount(accounts: readonly Account[]): Account | undefined {
  for (const name of UNPRIVILEGED_ACCOUNTS) {
    const account = accounts.find((candidate) => candidate.name === name && candidate.uid !== 0);
    if (account !== undefined) return account;
  }
  return undefined;
}

/** Creates OWN_ACCOUNT with useradd; false if that fails. */
async function makeAccount(): Promise<boolean> {
  const shape = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"];
  const args = [...shape, "--shell", "/usr/sbin/nologin", OWN_ACCOUNT];
  const child = spawn("useradd", args, { stdio: "ignore" });
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0));
  });
}

async function ownerOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).uid;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** macOS writes the ids of `nobody` as -2; the kernel uses unsigned 32 bit numbers. */
function parseId(text: string | undefined): number {
  const id = Number(text);
  return id < 0 ? id + 2 ** 32 : id;
}

export function parsePasswd(text: string): Account[] {
  const accounts: Account[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) continue;
    const [name, , uid, gid] = line.split(":");
    if (name === undefined || name === "" || uid === undefined || gid === undefined) continue;
    const account = { name, uid: parseId(uid), gid: parseId(gid) };
    if (Number.isInteger(account.uid) && Number.isInteger(account.gid)) accounts.push(account);
  }
  return accounts;
}

/**
 * The first folder on the path (including itself) that the account may not pass, or undefined. Often /root, with mode
 * 700, where people clone repositories.
 */
export async function firstBarrier(path: string, account: Account): Promise<string | undefined> {
  const parent = dirname(path);
  if (parent !== path) {
    const above = await firstBarrier(parent, account);
    if (above !== undefined) return above;
  }
  const { uid, gid, mode } = await stat(path);
  if (uid === account.uid) return mode & 0o100 ? undefined : path;
  if (gid === account.gid) return mode & 0o010 ? undefined : path;
  return mode & 0o001 ? undefined : path;
}
