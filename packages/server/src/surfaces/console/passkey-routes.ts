import { formatTimestamp, Problem } from "@longwave/contract";
import { Type } from "typebox";
import { requireNotBlank } from "../../http/api/parse-fields.ts";
import { recordForPerson } from "./audit.ts";
import { checkConfirmed } from "./mounts.ts";
import { withNetworkLockout } from "./network-lockout.ts";
import { type OwnRoute, ok, open, type SessionRequest, signedInBeforeSetup } from "./own-routes.ts";
import {
  deletePasskey,
  dropRecoveryCodes,
  insertPasskey,
  listPasskeys,
  setFirstRecoveryCodes,
} from "./passkey-sql.ts";
import {
  ASSERTION_BYTES_MAX,
  type Assertion,
  AssertionBody,
  makeChallenge,
  openChallenge,
  type RelyingParty,
  relyingParty,
  signInOptions,
  signInWithPasskey,
  spendChallenge,
  webauthn,
} from "./passkeys.ts";
import { newRecoveryCodes } from "./recovery-codes.ts";
import { cookieHeader, requireSecureTransport } from "./session-request.ts";
import { beginSession } from "./session-routes.ts";
import type { Session } from "./sessions.ts";
import { hashRecoveryCode } from "./sign-in.ts";
import { deleteOtherSessions, lockUser, readUser } from "./sql.ts";

const PASSKEYS_MAX = 10;
const NAME_CHARS_MAX = 60;
const TRANSPORTS_MAX = 10;
const SIGN_IN = "sign-in";
/**
 * Beginning of an attestation of the format `none`, in CTAP2's canonical CBOR. No other was asked for, and the library
 * would parse its certificates before a page can be trusted.
 */
const NONE = Buffer.from("a363666d74646e6f6e65", "hex");
const exact = { additionalProperties: false };
const Base64 = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: "^[\\w-]+$" });

const NewPasskeyBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX }),
    setup: Base64(1_000),
    id: Base64(2_000),
    client_data: Base64(4_000),
    attestation: Base64(20_000),
    transports: Type.Array(Type.String({ maxLength: 20 }), { maxItems: TRANSPORTS_MAX }),
  },
  exact,
);
interface NewPasskey {
  readonly name: string;
  readonly setup: string;
  readonly id: string;
  readonly client_data: string;
  readonly attestation: string;
  readonly transports: readonly string[];
}

interface PasskeyListRow {
  readonly id: string;
  readonly credential_id: Buffer;
  readonly transports: string[];
  readonly name: string;
  readonly created_at: number;
  readonly used_at: number | null;
}

/** Passkeys: signing in with one, confirming with one, and a person's own list. */
export const passkeyRoutes: readonly OwnRoute[] = [
  open("POST", "/passkeys/options", null, async ({ deps, exchange }) => {
    requireSecureTransport(deps.config, exchange.ip);
    return ok(await signInOptions(deps, relyingParty(deps.config, exchange.request), SIGN_IN));
  }),

  open<Assertion>(
    "POST",
    "/passkeys/sign-in",
    AssertionBody,
    async (request) => {
      const { deps, exchange, body } = request;
      requireSecureTransport(deps.config, exchange.ip);
      const party = relyingParty(deps.config, exchange.request);
      const outcome = await withNetworkLockout(deps, exchange.ip, () =>
        signInWithPasskey(deps, party, { given: body, owner: SIGN_IN }, (tx, user) =>
          beginSession(request, tx, user.id),
        ),
      );
      return signedInWith(request, outcome);
    },
    ASSERTION_BYTES_MAX,
  ),

  signedInBeforeSetup<Assertion>(
    "POST",
    "/session/confirm/passkey",
    AssertionBody,
    async (request, session) => {
      const { deps, exchange, body } = request;
      requireSecureTransport(deps.config, exchange.ip);
      const party = relyingParty(deps.config, exchange.request);
      const by = { given: body, owner: SIGN_IN, userId: session.userId };
      const outcome = await withNetworkLockout(deps, exchange.ip, () =>
        signInWithPasskey(deps, party, by, (tx) => deps.sessions.confirm(tx, session)),
      );
      return signedInWith(request, outcome);
    },
  ),

  signedInBeforeSetup("GET", "/me/passkeys", null, async ({ deps }, session) => {
    const rows = await deps.db.query<PasskeyListRow>(listPasskeys, [session.userId]);
    return ok({ data: rows.map(presentPasskey), has_more: false, next_cursor: null });
  }),

  signedInBeforeSetup("POST", "/me/passkeys/options", null, async ({ deps, exchange }, session) => {
    checkConfirmed(deps, session);
    const party = relyingParty(deps.config, exchange.request);
    const known = await deps.db.query<PasskeyListRow>(listPasskeys, [session.userId]);
    if (known.length >= PASSKEYS_MAX) throw tooMany();
    const { challenge, setup } = makeChallenge(deps, session.userId);
    const { generateRegistrationOptions } = await webauthn();
    const options = await generateRegistrationOptions({
      rpName: "Longwave",
      rpID: party.id,
      userID: new Uint8Array(Buffer.from(session.userId)),
      userName: session.email,
      userDisplayName: session.name ?? session.email,
      challenge: new Uint8Array(challenge),
      attestationType: "none",
      excludeCredentials: known.map(({ credential_id, transports }) => ({
        id: credential_id.toString("base64url"),
        transports,
      })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    return ok({ object: "passkey_setup", options, setup });
  }),

  signedInBeforeSetup<NewPasskey>("POST", "/me/passkeys", NewPasskeyBody, addPasskey),

  signedInBeforeSetup(
    "DELETE",
    "/me/passkeys/{id}",
    null,
    async ({ deps, params, exchange }, session) => {
      checkConfirmed(deps, session);
      const { id = "" } = params;
      return deps.db.tx(async (tx) => {
        await tx.query(lockUser, [session.userId]);
        const isId = /^[\da-f-]{36}$/.test(id);
        const removed = isId ? await tx.query(deletePasskey, [id, session.userId]) : [];
        if (removed.length === 0) throw new Problem("not_found", "You have no such passkey.");
        const [user] = await tx.query<{ totp_secret: Buffer | null; has_passkeys: boolean }>(
          readUser,
          [session.userId],
        );
        if (session.requiresFactor && !user?.totp_secret && !user?.has_passkeys) throw lastFactor();
        await tx.query(dropRecoveryCodes, [session.userId]);
        await tx.query(deleteOtherSessions, [session.userId, session.tokenHash]);
        const happened = { action: "user.passkey_removed", ip: exchange.ip } as const;
        await recordForPerson(deps, tx, session.userId, happened);
        await deps.sessions.changed(tx);
        return ok({ object: "passkey", id });
      });
    },
  ),
];

function signedInWith(
  { deps }: SessionRequest<unknown>,
  outcome: Awaited<ReturnType<typeof signInWithPasskey<string>>>,
) {
  if ("problem" in outcome) throw outcome.problem;
  if ("needsCode" in outcome) throw new Error("A passkey needs no code.");
  return ok({ object: "sign_in", code_required: false }, cookieHeader(deps.config, outcome.begun));
}

async function addPasskey(request: SessionRequest<NewPasskey>, session: Session) {
  const { deps, exchange, body } = request;
  checkConfirmed(deps, session);
  const name = body.name.trim();
  requireNotBlank(name, "name");
  const challenge = openChallenge(deps, body.setup, session.userId);
  const made = await verifyNew(relyingParty(deps.config, exchange.request), body, challenge);
  if (made === null) {
    throw new Problem("invalid_request", "The browser's answer does not fit. Begin again.", {
      param: "attestation",
    });
  }
  const codes = newRecoveryCodes(deps);
  const hasNewCodes = await deps.db.tx(async (tx) => {
    await tx.query(lockUser, [session.userId]);
    const now = deps.clock.now();
    if (!(await spendChallenge(deps, tx, challenge))) throw alreadyAdded();
    const inserted = await tx.query(insertPasskey, [
      deps.ids.makeAt(now),
      session.userId,
      Buffer.from(made.id, "base64url"),
      Buffer.from(made.publicKey),
      made.counter,
      body.transports,
      name,
      new Date(now),
      PASSKEYS_MAX,
    ]);
    if (inserted.length === 0) throw tooMany();
    const hashes = codes.map(hashRecoveryCode);
    const first = await tx.query(setFirstRecoveryCodes, [session.userId, hashes]);
    await tx.query(deleteOtherSessions, [session.userId, session.tokenHash]);
    const happened = { action: "user.passkey_added", ip: exchange.ip } as const;
    await recordForPerson(deps, tx, session.userId, happened);
    await deps.sessions.changed(tx);
    return first.length > 0;
  });
  return ok({ object: "passkey", name, recovery_codes: hasNewCodes ? codes : null });
}

/** The key that a browser made for the challenge, or null. */
async function verifyNew(party: RelyingParty, body: NewPasskey, challenge: string) {
  if (!Buffer.from(body.attestation, "base64url").subarray(0, NONE.length).equals(NONE))
    return null;
  const { verifyRegistrationResponse } = await webauthn();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id: body.id,
        rawId: body.id,
        type: "public-key",
        clientExtensionResults: {},
        response: { clientDataJSON: body.client_data, attestationObject: body.attestation },
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    });
    const credential = verified ? registrationInfo.credential : null;
    return credential?.id === body.id ? credential : null;
  } catch {
    return null;
  }
}

function presentPasskey(row: PasskeyListRow) {
  return {
    object: "passkey",
    id: row.id,
    name: row.name,
    created_at: formatTimestamp(row.created_at),
    used_at: row.used_at === null ? null : formatTimestamp(row.used_at),
  };
}

function tooMany(): Problem {
  return new Problem(
    "limit_reached",
    `A person has at most ${PASSKEYS_MAX} passkeys. Remove one that you no longer use.`,
  );
}

function alreadyAdded(): Problem {
  return new Problem("invalid_request", "This answer was used before. Begin again.", {
    param: "setup",
  });
}

function lastFactor(): Problem {
  return new Problem(
    "invalid_state",
    "This installation requires a second factor of you. Add another passkey or an authenticator app first.",
  );
}
