import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { Problem } from "@longwave/contract";

/** About 80 ms and 32 MiB for each guess, for us as for whoever stole the table. */
const COST = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 } as const;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** One: on a machine with two cores the other is left for texts. */
const AT_ONCE_MAX = 1;
/** Waiting hashes of all networks together; the last one waits about eight seconds. */
const WAITING_MAX = 100;
const PASSWORD_CHARS_MIN = 12;
const PASSWORD_CHARS_MAX = 128;

/** Those that guessers try first, in the length we ask for. */
const COMMON = new Set([
  "password1234",
  "123456789012",
  "qwertyuiop12",
  "passwordpassword",
  "longwavelongwave",
  "111111111111",
  "000000000000",
  "administrator",
  "letmeinletmein",
  "iloveyou1234",
]);

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (problem: Problem) => void;
}

let running = 0;
/** Callers that wait, by their network; the first network is next. */
const lines = new Map<string, Waiting[]>();
let waitingCount = 0;

/**
 * Bounds hashing: a flood of sign-ins waits or is refused, and takes no memory from messages. Networks take
 * turns, so one that sends many waits for its own. Callers must hold no transaction: connections are few.
 */
async function inTurn<T>(network: string, work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE_MAX) await waitInLine(network);
  else running += 1;
  try {
    return await work();
  } finally {
    // The place is handed on: it is never free for a caller who comes in between.
    const next = takeNext();
    if (next) next.begin();
    else running -= 1;
  }
}

function waitInLine(network: string): Promise<void> {
  if (waitingCount >= WAITING_MAX) makeRoomFor(network);
  const line = lines.get(network) ?? [];
  lines.set(network, line);
  waitingCount += 1;
  return new Promise<void>((begin, refuse) => line.push({ begin, refuse }));
}

/** The oldest of the first network, which then goes behind the others. */
function takeNext(): Waiting | undefined {
  for (const [network, line] of lines) {
    const next = line.shift();
    lines.delete(network);
    if (line.length > 0) lines.set(network, line);
    waitingCount -= 1;
    return next;
  }
  return undefined;
}

/** Refuses the newest of the network with the longest line, or the caller whose own line is as long. */
function makeRoomFor(network: string): void {
  let [longest, length] = [network, (lines.get(network)?.length ?? 0) + 1];
  for (const [each, line] of lines) {
    if (line.length > length) [longest, length] = [each, line.length];
  }
  const refused = longest === network ? undefined : lines.get(longest)?.pop();
  if (!refused) throw tooMany();
  waitingCount -= 1;
  refused.refuse(tooMany());
}

function tooMany(): Problem {
  return new Problem(
    "rate_limited",
    "Too many people sign in at this moment. Try again in a few seconds.",
    { headers: { "retry-after": "5" } },
  );
}

function derive(
  password: string,
  salt: Buffer,
  cost: { N: number; r: number; p: number },
  network: string,
): Promise<Buffer> {
  return inTurn(
    network,
    () =>
      new Promise((resolve, reject) => {
        scrypt(
          password.normalize("NFKC"),
          salt,
          KEY_BYTES,
          { ...cost, maxmem: COST.maxmem },
          (error, key) => (error ? reject(error) : resolve(key)),
        );
      }),
  );
}

/** `scrypt$N$r$p$salt$key`: the cost is kept with the hash, so that it can rise. `network`: whose turn it is. */
export async function hashPassword(password: string, network: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, COST, network);
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64"), key.toString("base64")].join(
    "$",
  );
}

export async function isPassword(
  password: string,
  stored: string,
  network: string,
): Promise<boolean> {
  const [, n, r, p, salt = "", key = ""] = stored.split("$");
  const wanted = Buffer.from(key, "base64");
  const cost = { N: Number(n), r: Number(r), p: Number(p) };
  const given = await derive(password, Buffer.from(salt, "base64"), cost, network);
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

/** For an email that nobody has: the same work, so that the time tells nothing. */
export const NOBODYS_HASH = `scrypt$${COST.N}$${COST.r}$${COST.p}$${Buffer.alloc(SALT_BYTES).toString("base64")}$${Buffer.alloc(KEY_BYTES).toString("base64")}`;

/** Refuses a password that would be guessed. */
export function checkPassword(password: string): void {
  const length = [...password.normalize("NFKC")].length;
  const refuse = (message: string) => {
    throw new Problem("invalid_request", message, { param: "password" });
  };
  if (length < PASSWORD_CHARS_MIN)
    refuse(
      `A password has at least ${PASSWORD_CHARS_MIN} characters. Several words are easy to keep in mind.`,
    );
  if (length > PASSWORD_CHARS_MAX)
    refuse(`A password has at most ${PASSWORD_CHARS_MAX} characters.`);
  if (COMMON.has(password.toLowerCase()) || /^(.)\1*$/.test(password))
    refuse("This password is among the first that are guessed. Take another one.");
}
