import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Range below the ephemeral ports (from 32768 on Linux, from 49152 by IANA): the kernel gives a free port in
 * it to no other program before the intended one listens.
 */
const PORT_MIN = 15_000;
const PORT_MAX = 31_999;
const TRIES_MAX = 1_000;
/** Names the folder of claims: one for all runs on a machine, whatever their folders for temporary files. */
export const PORT_CLAIMS_VARIABLE = "LONGWAVE_TEST_PORTS";

export function portClaims(): string {
  return process.env[PORT_CLAIMS_VARIABLE] ?? join(tmpdir(), "longwave-test-ports");
}

/** Claim files of this process, removed at its exit. */
const own = new Set<string>();

/** A free port, reserved for this process until it exits, also against other test processes. */
export async function freePort(): Promise<number> {
  const claims = portClaims();
  mkdirSync(claims, { recursive: true });
  if (own.size === 0) process.once("exit", releasePorts);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN + 1));
    if (claim(join(claims, String(port))) && (await isFree(port))) return port;
  }
  throw new Error(`No port between ${PORT_MIN} and ${PORT_MAX} is free.`);
}

/** Claims a port with an exclusively created file. The claim of a killed process is taken over. */
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
  // An empty file was just created, and its process id is not written yet.
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function releasePorts(): void {
  for (const file of own) rmSync(file, { force: true });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
