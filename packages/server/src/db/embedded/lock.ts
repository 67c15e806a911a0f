import { chmod, mkdtemp, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DataFolderBusy, errorCode } from "./failure.ts";

/**
 * One Longwave per data folder. The lock is a listening unix socket: the kernel closes it with its
 * process, whatever ends that process, so nothing stale can look alive and no process id is trusted.
 *
 * Every starter first publishes a listening socket under a name of its own and then asks all others.
 * Whoever finds another one alive withdraws. Of two starters the later to publish must see the earlier,
 * so two can never both go on; at worst both withdraw, and try again after different pauses.
 */
export interface Lock {
  release(): Promise<void>;
}

const LOCK_NAME = /^lock\.(\d+)\.\w+\.sock$/;
const UNPUBLISHED_PREFIX = "lock.new-";
const ATTEMPTS_MAX = 40;
const ANSWER_MS_MAX = 1_000;
const ANSWER_BYTES_MAX = 64;

export async function acquireLock(dataDir: string, sockets: string): Promise<Lock> {
  let rival: Rival | undefined;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const claim = await publish(sockets);
    rival = await findRival(sockets, claim.name);
    if (rival === undefined) {
      claim.hold();
      return { release: () => claim.withdraw() };
    }
    await claim.withdraw();
    if (rival.holds) break;
    await sleep(5 + (process.pid % 50));
  }
  throw new DataFolderBusy(
    `The data folder ${dataDir} is in use by another Longwave (process ${rival?.pid}): stop that one first, or set LONGWAVE_DATA to another folder.`,
  );
}

interface Claim {
  readonly name: string;
  hold(): void;
  withdraw(): Promise<void>;
}

/** A name that others look for appears only once its socket listens: one that refuses is dead for good. */
async function publish(sockets: string): Promise<Claim> {
  const unpublished = await mkdtemp(join(sockets, UNPUBLISHED_PREFIX));
  const unique = unpublished.slice(-6);
  const name = `lock.${process.pid}.${unique}.sock`;
  const path = join(sockets, name);
  let state = "starts";
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.end(`${state} ${process.pid}\n`);
  });
  const draft = join(unpublished, "s");
  await listen(server, draft);
  await chmod(draft, 0o600);
  await rename(draft, path);
  await rmdir(unpublished);
  // The lock must not keep a process alive that has nothing else to do.
  server.unref();
  return {
    name,
    hold: () => {
      state = "holds";
    },
    withdraw: async () => {
      await unlinkIfThere(path);
      await new Promise<void>((done) => server.close(() => done()));
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

interface Rival {
  readonly pid: string;
  readonly holds: boolean;
}

async function findRival(sockets: string, own: string): Promise<Rival | undefined> {
  let starting: Rival | undefined;
  for (const name of await readdir(sockets)) {
    const pid = LOCK_NAME.exec(name)?.[1];
    if (pid === undefined || name === own) continue;
    const answer = await ask(join(sockets, name));
    if (answer === "dead") await unlinkIfThere(join(sockets, name));
    else if (answer === "starts") starting = { pid, holds: false };
    else return { pid, holds: true };
  }
  return starting;
}

/** A process that accepts but is too busy to answer in time is alive, and taken to hold the lock. */
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
