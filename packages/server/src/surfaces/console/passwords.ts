import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { Problem } from "@longwave/contract";

/** About 80 ms and 32 MiB for each guess, for us as for whoever stole the table. */
const COST = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 } as const;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** One: on a machine with two cores the other is left for texts. */
const AT_ONCE_MAX = 1;
const WAITING_MAX = 20;
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

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Hashing is bounded: a flood of sign-ins waits or is refused, and takes no memory from texts. Whoever
 * waits here must hold no transaction: the connections for those are few, and everybody's.
 */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE_MAX) {
    if (waiting.length >= WAITING_MAX) {
      throw new Problem(
        "rate_limited",
        "Too many people sign in at this moment. Try again in a few seconds.",
        {
          headers: { "retry-after": "5" },
        },
      );
    }
    // Whoever goes before hands its place on: it is never free for somebody who comes in between.
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running += 1;
  }
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

function derive(
  password: string,
  salt: Buffer,
  cost: { N: number; r: number; p: number },
): Promise<Buffer> {
  return inTurn(
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

/** `scrypt$N$r$p$salt$key`: the cost is kept with the hash, so that it can rise. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, COST);
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64"), key.toString("base64")].join(
    "$",
  );
}

export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, n, r, p, salt = "", key = ""] = stored.split("$");
  const wanted = Buffer.from(key, "base64");
  const given = await derive(password, Buffer.from(salt, "base64"), {
    N: Number(n),
    r: Number(r),
    p: Number(p),
  });
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
