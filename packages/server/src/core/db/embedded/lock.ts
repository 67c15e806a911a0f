import { access, chmod, mkdtemp, readdir, rename, rm, unlink } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DataFolderBusy, errorCode } from "./failure.ts";

/**
 * Lock that allows one Longwave per data folder: a listening unix socket. The kernel closes it with its process, so no
 * stale lock looks alive, and no process id is trusted.
 *
 * Every starter publishes a listening socket under a unique name, then queries all others, and proceeds only if no
 * other is alive. The later of two starters sees the earlier, so both never proceed. Among concurrent
 * starters the first by name waits while the others withdraw.
 */
export interface Lock {
  release(): Promise<void>;
}

const LOCK_NAME = /^lock\.(\d+)\.\w+\.sock$/;
const DRAFT_PREFIX = "lock.new-";
const ATTEMPTS_MAX = 100;
const PAUSE_MS = 20;
const ANSWER_MS_MAX = 1_000;
const ANSWER_BYTES_MAX = 64;

export async function acquireLock(dataDir: string, sockets: string): Promise<Lock> {
  let claim: Claim | undefined;
  let rivals: readonly Rival[] = [];
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    claim ??= await publish(sockets);
    const own = claim?.name;
    if (claim !== undefined && own !== undefined) {
      rivals = await findRivals(sockets, own);
      if (rivals.length === 0) return await hold(claim, sockets);
      if (rivals.some((rival) => rival.holds)) break;
      if (rivals.some((rival) => rival.name < own)) {
        await claim.withdraw();
        claim = undefined;
      }
    }
    await sleep(PAUSE_MS);
  }
  await claim?.withdraw();
  const pid = (rivals.find((rival) => rival.holds) ?? rivals[0])?.pid ?? "unknown";
  throw new DataFolderBusy(
    `The data folder ${dataDir} is in use by another Longwave (process ${pid}): stop that one first, or set LONGWAVE_DATA to another folder.`,
  );
}

async function hold(claim: Claim, sockets: string): Promise<Lock> {
  claim.hold();
  // Remove drafts of starts killed before publishing. A live start whose draft disappears retries.
  for (const name of await readdir(sockets)) {
    if (name.startsWith(DRAFT_PREFIX)) {
      await rm(join(sockets, name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
  return { release: () => claim.withdraw() };
}

interface Claim {
  readonly name: string;
  hold(): void;
  withdraw(): Promise<void>;
}

/**
 * Publishes a claim: the socket gets its public name only after it listens, so one that refuses connections is dead.
 * Undefined if the lock's owner removed the draft.
 */
async function publish(sockets: string): Promise<Claim | undefined> {
  const drafts = await mkdtemp(join(sockets, DRAFT_PREFIX));
  const draft = join(drafts, "s");
  const name = `lock.${process.pid}.${drafts.slice(-6)}.sock`;
  const path = join(sockets, name);
  let state = "starts";
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.end(`${state} ${process.pid}\n`);
  });
  try {
    await listen(server, draft);
    // The folder is private. Any user who may enter it must be able to see if this process lives.
    await chmod(draft, 0o666);
    await rename(draft, path);
  } catch (error) {
    await close(server);
    if (await isThere(drafts)) throw error;
    return undefined;
  } finally {
    await rm(drafts, { recursive: true, force: true });
  }
  // The lock alone must not keep the process alive.
  server.unref();
  return {
    name,
    hold: () => {
      state = "holds";
    },
    withdraw: async () => {
      await unlinkIfThere(path);
      await close(server);
    },
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(path, () => {
      server.off("error", fail);
      done();
    });
  });
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function close(server: Server): Promise<void> {
  return new Promise((done) => server.close(() => done()));
}

interface Rival {
  readonly name: string;
  readonly pid: string;
  readonly holds: boolean;
}

async function findRivals(sockets: string, own: string): Promise<readonly Rival[]> {
  const rivals: Rival[] = [];
  for (const name of await readdir(sockets)) {
    const pid = LOCK_NAME.exec(name)?.[1];
    if (pid === undefined || name === own) continue;
    const answer = await ask(join(sockets, name));
    if (answer === "dead") await unlinkIfThere(join(sockets, name));
    else rivals.push({ name, pid, holds: answer === "holds" });
  }
  return rivals;
}

/**
 * A process that accepts but does not respond in time counts as alive and as owner of the lock.
 */
function ask(path: string): Promise<"dead" | "starts" | "holds"> {
  return new Promise((answer, fail) => {
    const socket = connect(path);
    let text = "";
    socket.setTimeout(ANSWER_MS_MAX, () => {
      socket.destroy();
      answer("holds");
    });
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (text.length > ANSWER_BYTES_MAX) socket.destroy();
    });
    socket.on("close", () => answer(text.startsWith("starts") ? "starts" : "holds"));
    socket.on("error", (error) => {
      const code = errorCode(error);
      if (code === "ECONNREFUSED" || code === "ENOENT") answer("dead");
      else if (code === "ECONNRESET" || code === "EPIPE" || code === "EAGAIN") answer("starts");
      else fail(error);
    });
  });
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}
