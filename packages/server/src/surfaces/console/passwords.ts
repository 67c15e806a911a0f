import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { Problem } from "@longwave/contract";

/**
 * Cost of a new hash: about 80 ms and 32 MiB. An attacker who stole the table pays the same per guess. Tests, which sign
 * in often, lower `N`.
 */
export const HASH_COST = { N: 32_768, r: 8, p: 1 };
const HASH_BYTES_MAX = 64 * 1024 * 1024;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** One at a time: a machine with two cores keeps the other one for messages. */
const CONCURRENT_MAX = 1;
/** Waiting hashes of all networks; the last one waits about eight seconds. */
const WAITING_MAX = 100;
const PASSWORD_CHARS_MIN = 12;
const PASSWORD_CHARS_MAX = 128;

/** The most common passwords, in lower case and without the digits and signs that people append. */
const COMMON = new Set([
  "password",
  "passwordpassword",
  "passw0rd",
  "p@ssword",
  "p@ssw0rd",
  "qwerty",
  "qwertyuiop",
  "qwertyuiopasdf",
  "qwertyuiopasdfgh",
  "asdfghjkl",
  "1q2w3e4r5t6y",
  "longwave",
  "longwavelongwave",
  "administrator",
  "admin",
  "letmein",
  "letmeinletmein",
  "welcome",
  "iloveyou",
  "changeme",
  "trustno",
]);
const APPENDED = /[\d\s!@#$%^&*._?+-]/;
/** Counting from 1 or 0 for as long as a password can be. */
const COUNTING = ["1234567890", "0123456789"].map((digits) => digits.repeat(PASSWORD_CHARS_MAX));

function withoutAppended(password: string): string {
  let end = password.length;
  while (end > 0 && APPENDED.test(password.charAt(end - 1))) end -= 1;
  return password.slice(0, end);
}

function isCommon(password: string): boolean {
  return (
    COMMON.has(withoutAppended(password.toLowerCase())) ||
    COUNTING.some((digits) => digits.startsWith(password)) ||
    /^(.)\1*$/.test(password)
  );
}

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (problem: Problem) => void;
}

let running = 0;
/** Waiting callers by network. The first network is next. */
const queues = new Map<string, Waiting[]>();
let waitingCount = 0;

/**
 * Limits hashing: a flood of sign-ins queues or is refused and takes no memory from messages. Networks take
 * round-robin slots, so a flood delays its own network. Callers must hold no transaction.
 *
 * `KeyedLimiter` does not fit: it gives every key slots of its own, while all networks share this one slot, with a
 * rotation over them and one limit of waiters that the longest queue gives way to.
 */
async function withHashSlot<T>(network: string, work: () => Promise<T>): Promise<T> {
  if (running >= CONCURRENT_MAX) await waitForSlot(network);
  else running += 1;
  try {
    return await work();
  } finally {
    // The slot passes to the next waiter directly, so that no newcomer can overtake.
    const next = takeNextWaiter();
    if (next) next.begin();
    else running -= 1;
  }
}

function waitForSlot(network: string): Promise<void> {
  if (waitingCount >= WAITING_MAX) makeRoomInQueue(network);
  const queue = queues.get(network) ?? [];
  queues.set(network, queue);
  waitingCount += 1;
  return new Promise<void>((begin, refuse) => queue.push({ begin, refuse }));
}

/** Takes the oldest waiter of the first network and moves that network to the end. */
function takeNextWaiter(): Waiting | undefined {
  for (const [network, queue] of queues) {
    const next = queue.shift();
    queues.delete(network);
    if (queue.length > 0) queues.set(network, queue);
    waitingCount -= 1;
    return next;
  }
  return undefined;
}

/** Refuses the newest waiter of the longest queue, or the caller if its own queue is as long. */
function makeRoomInQueue(network: string): void {
  let [longest, length] = [network, (queues.get(network)?.length ?? 0) + 1];
  for (const [each, queue] of queues) {
    if (queue.length > length) [longest, length] = [each, queue.length];
  }
  const refused = longest === network ? undefined : queues.get(longest)?.pop();
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
  return withHashSlot(
    network,
    () =>
      new Promise((resolve, reject) => {
        scrypt(
          password.normalize("NFKC"),
          salt,
          KEY_BYTES,
          { ...cost, maxmem: HASH_BYTES_MAX },
          (error, key) => (error ? reject(error) : resolve(key)),
        );
      }),
  );
}

/**
 * `scrypt$N$r$p$salt$key`: each hash stores its cost, so that the cost can rise. `network`: key of the queue.
 */
export async function hashPassword(password: string, network: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return storedHash(salt, await derive(password, salt, HASH_COST, network));
}

function storedHash(salt: Buffer, key: Buffer): string {
  const { N, r, p } = HASH_COST;
  return ["scrypt", N, r, p, salt.toString("base64"), key.toString("base64")].join("$");
}

export async function isPassword(
  password: string,
  stored: string,
  network: string,
): Promise<boolean> {
  const [, n, r, p, salt = "", key = ""] = stored.split("$");
  const expected = Buffer.from(key, "base64");
  const cost = { N: Number(n), r: Number(r), p: Number(p) };
  const given = await derive(password, Buffer.from(salt, "base64"), cost, network);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** Compared when no user has the email: equal work, so that timing reveals nothing. */
export function dummyHash(): string {
  return storedHash(Buffer.alloc(SALT_BYTES), Buffer.alloc(KEY_BYTES));
}

/** Refuses passwords that are short or easily guessed. */
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
  if (isCommon(password))
    refuse("This password is among the first that attackers guess. Choose another one.");
}
