/** Checks of a running installation from outside. */
import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Runs with a umask under which new files would be world-readable and writable. */
export function withLaxUmask<T>(begin: () => T): T {
  const usual = process.umask(0);
  try {
    return begin();
  } finally {
    process.umask(usual);
  }
}

const SECRET_FILES = ["first-run.json", "operator-token", "secret-key"];

/** Asserts that only the system user that runs Longwave can read the folder's files. */
export async function assertPrivate(folder: string, uid: number): Promise<void> {
  const names = await readdir(folder);
  for (const name of SECRET_FILES) assert.ok(names.includes(name), `${name} is there`);
  for (const name of names) {
    const found = await stat(join(folder, name));
    // As root, PostgreSQL runs as another user, who owns its files.
    const isOwn = name.startsWith("postgres") || found.uid === uid;
    assert.ok(isOwn, `${name} belongs to ${found.uid}`);
    assert.equal((found.mode & 0o077).toString(8), "0", `${name} is for its owner alone`);
  }
}

interface Named {
  readonly id: string;
  readonly key?: string;
}

/** Asserts that a revoked key is rejected by all processes within a second. */
export async function assertRevocationHolds(url: string, operatorToken: string): Promise<void> {
  const operator = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}/operator/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    assert.ok(answer.ok, await answer.clone().text());
    return (await answer.json()) as Named;
  };
  const account = await operator("POST", "/accounts", { name: "Revoked" });
  const minted = await operator("POST", `/accounts/${account.id}/keys`, { mode: "test" });
  // New connections, which the processes accept one after another.
  const everywhere = async () => {
    const headers = { authorization: `Bearer ${minted.key}`, connection: "close" };
    const ask = async () => (await fetch(`${url}/v1/account`, { headers })).status;
    return new Set(await Promise.all(Array.from({ length: 20 }, ask)));
  };
  assert.deepEqual(await everywhere(), new Set([200]));
  await operator("DELETE", `/keys/${minted.id}`);
  await sleep(1_000);
  assert.deepEqual(await everywhere(), new Set([401]));
}
