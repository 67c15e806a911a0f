import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { Problem } from "@longwave/contract";
import { Type } from "typebox";
import type { Base } from "../../core/base.ts";
import type { Config } from "../../core/config/config.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { answerChallenge, findPasskey, usePasskey } from "./passkey-sql.ts";
import type { SignInOutcome, UserRow } from "./sign-in.ts";
import { clearUserFailures, findUser } from "./sql.ts";

/** Time to answer a challenge: browsers give up earlier. */
const CHALLENGE_MS = 5 * 60_000;
const CHALLENGE_BYTES = 32;
const exact = { additionalProperties: false };
const Base64 = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: "^[\\w-]+$" });

/** Sealed challenge, and what the browser signed for it. */
/** Longest assertion, with its JSON. */
export const ASSERTION_BYTES_MAX = 16 * 1024;
export const AssertionBody = Type.Object(
  {
    setup: Base64(1_000),
    id: Base64(2_000),
    client_data: Base64(4_000),
    authenticator_data: Base64(4_000),
    signature: Base64(4_000),
  },
  exact,
);
export interface Assertion {
  readonly setup: string;
  readonly id: string;
  readonly client_data: string;
  readonly authenticator_data: string;
  readonly signature: string;
}

/** Site that the browser's keys belong to: they work on no other. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

export interface PasskeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly credential_id: Buffer;
  readonly public_key: Buffer;
  readonly counter: number;
  readonly transports: string[];
}

type Deps = Pick<Base, "db" | "clock" | "secrets" | "random" | "config">;

export function relyingParty(config: Config, { headers }: IncomingMessage): RelyingParty {
  const origin = config.publicUrl ?? `http://${headers.host}`;
  const { hostname } = new URL(origin);
  if (isIP(hostname.replace(/^\[|\]$/g, "")) === 0) return { id: hostname, origin };
  throw new Problem(
    "invalid_state",
    "Passkeys need a host name. Open the console by a name, such as localhost, or set LONGWAVE_PUBLIC_URL.",
  );
}

/** The library loads with the first passkey: its parsers of certificates take time that a start does not need. */
export function webauthn() {
  return import("@simplewebauthn/server");
}

/** A challenge, and its sealed form: nothing is stored before it is answered. `owner`: purpose, or a user's id. */
export function makeChallenge(deps: Deps, owner: string): { challenge: Buffer; setup: string } {
  const challenge = deps.random.bytes(CHALLENGE_BYTES);
  const sealed = JSON.stringify([challenge.toString("base64url"), deps.clock.now()]);
  const setup = deps.secrets.encrypt(sealed, ["passkey-challenge", owner]).toString("base64url");
  return { challenge, setup };
}

/** The challenge in base64url, as the browser signs it. */
export function openChallenge({ secrets, clock }: Deps, setup: string, owner: string): string {
  try {
    const sealed = Buffer.from(setup, "base64url");
    const [challenge, madeAtMs] = JSON.parse(
      secrets.decrypt(sealed, ["passkey-challenge", owner]),
    ) as [string, number];
    if (clock.now() - madeAtMs < CHALLENGE_MS) return challenge;
  } catch {
    // Not sealed by this installation, or for another purpose: refused below.
  }
  throw new Problem("invalid_request", "This request is not known, or too old. Begin again.", {
    param: "setup",
  });
}

/** False for a second answer to a challenge. */
export async function spendChallenge(deps: Deps, tx: Tx, challenge: string): Promise<boolean> {
  const now = deps.clock.now();
  const values = [Buffer.from(challenge, "base64url"), new Date(now), new Date(now - CHALLENGE_MS)];
  return (await tx.query(answerChallenge, values)).length > 0;
}

export async function signInOptions(deps: Deps, party: RelyingParty, owner: string) {
  const { challenge, setup } = makeChallenge(deps, owner);
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    challenge: new Uint8Array(challenge),
    // The device's own check makes a passkey two factors in one.
    userVerification: "required",
    timeout: CHALLENGE_MS,
  });
  return { object: "passkey_request", options, setup };
}

/**
 * Signs in with a passkey alone: the device has checked its owner. `userId`: the only person who may, for a
 * confirmation.
 */
export async function signInWithPasskey<T>(
  deps: Deps,
  party: RelyingParty,
  { given, owner, userId }: { given: Assertion; owner: string; userId?: string },
  begin: (tx: Tx, user: UserRow) => Promise<T>,
): Promise<SignInOutcome<T>> {
  const challenge = openChallenge(deps, given.setup, owner);
  const credentialId = Buffer.from(given.id, "base64url");
  const [row] = await deps.db.query<PasskeyRow>(findPasskey, [credentialId]);
  if (!row || (userId !== undefined && row.user_id !== userId)) return { problem: refused() };
  const counter = await verify(party, given, challenge, row);
  if (counter === null) return { problem: refused() };
  return deps.db.tx(async (tx): Promise<SignInOutcome<T>> => {
    const now = new Date(deps.clock.now());
    const [user] = await tx.query<UserRow>(findUser, [row.user_id]);
    const isFirst = await spendChallenge(deps, tx, challenge);
    if (!user || !isFirst) return { problem: refused() };
    const used = await tx.query(usePasskey, [row.id, counter, now]);
    if (used.length === 0) return { problem: refused() };
    await tx.query(clearUserFailures, [user.id]);
    return { begun: await begin(tx, user) };
  });
}

/** The device's counter after a valid signature; null for any other. */
async function verify(
  party: RelyingParty,
  given: Assertion,
  challenge: string,
  row: PasskeyRow,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await webauthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id: given.id,
        rawId: given.id,
        type: "public-key",
        clientExtensionResults: {},
        response: {
          clientDataJSON: given.client_data,
          authenticatorData: given.authenticator_data,
          signature: given.signature,
        },
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: row.credential_id.toString("base64url"),
        publicKey: new Uint8Array(row.public_key),
        counter: Number(row.counter),
      },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    return null;
  }
}

/** One answer for an unknown key and a wrong signature. */
export function refused(): Problem {
  return new Problem(
    "invalid_credentials",
    "This passkey was not accepted. Try again, or sign in with your password.",
  );
}
