import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Below the ports that the kernel gives to whoever asks for any (Linux begins at 32768, the IANA at 49152):
 * what was free a moment ago is not given to another program before the one it is meant for listens there.
 */
const PORT_MIN = 15_000;
const PORT_MAX = 31_999;
const TRIES_MAX = 1_000;
const CLAIMS = join(tmpdir(), "longwave-test-ports");

/** Ports that this process has, and gives back when it ends. */
const own = new Set<string>();

/**
 * A port that nobody listens on, and that nobody else will: of two processes of the tests that ask at the
 * same time each has its own, until it ends.
 */
export async function freePort(): Promise<number> {
  mkdirSync(CLAIMS, { recursive: true });
  if (own.size === 0) process.once("exit", giveBack);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN + 1));
    if (claim(join(CLAIMS, String(port))) && (await isFree(port))) return port;
  }
  throw new Error(`No port between ${PORT_MIN} and ${PORT_MAX} is free.`);
}

/** A file that only one process can make; what a process left that was killed is taken over. */
function claim(file: string): boolean {
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      writeFileSync(file, String(process.pid), { flag: "wx" });
      own.add(file);
      return true;
    } catch {
      if (own.has(file) || isAlive(ownerOf(file))) return false;
      rmSync(file, { force: true });
    }
  }
  return false;
}

function ownerOf(file: string): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}

function isAlive(pid: number): boolean {
  // Whoever has just made the file has not written its number yet.
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function giveBack(): void {
  for (const file of own) rmSync(file, { force: true });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((tell) => {
    const server = createServer();
    server.once("error", () => tell(false));
    server.listen(port, "127.0.0.1", () => server.close(() => tell(true)));
  });
}
