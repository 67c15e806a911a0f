import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_KEY = 0x40;

/** Differences from a good device. */
interface Faults {
  readonly origin?: string;
  readonly isVerified?: boolean;
}

/**
 * A device with one passkey, as WebAuthn describes it: ES256, attestation `none`. It signs real challenges; only the
 * browser between it and the console is missing.
 */
export class PasskeyDevice {
  readonly #key: KeyObject;
  readonly #publicKey: Buffer;
  readonly #id = randomBytes(32);
  readonly #rpId: string;
  readonly #origin: string;
  counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    this.#rpId = new URL(origin).hostname;
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    this.#key = privateKey;
    // COSE: {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}.
    this.#publicKey = Buffer.concat([
      Buffer.from("a5010203262001215820", "hex"),
      Buffer.from(x, "base64url"),
      Buffer.from("225820", "hex"),
      Buffer.from(y, "base64url"),
    ]);
  }

  get id(): string {
    return this.#id.toString("base64url");
  }

  /** The form of a new passkey. */
  create(made: { options: { challenge: string }; setup: string }, faults: Faults = {}) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.#id.length);
    const credential = [Buffer.alloc(16), length, this.#id, this.#publicKey];
    const data = Buffer.concat([this.#authenticatorData(HAS_KEY, faults), ...credential]);
    // CBOR: {"fmt": "none", "attStmt": {}, "authData": data}.
    const head = Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex");
    const attestation = Buffer.concat([head, Buffer.from([data.length]), data]);
    return {
      setup: made.setup,
      id: this.id,
      client_data: this.#clientData("webauthn.create", made.options.challenge, faults),
      attestation: attestation.toString("base64url"),
      transports: ["internal"],
    };
  }

  /** The form of a sign-in. */
  sign(asked: { options: { challenge: string }; setup: string }, faults: Faults = {}) {
    this.counter += 1;
    const data = this.#authenticatorData(0, faults);
    const clientData = this.#clientData("webauthn.get", asked.options.challenge, faults);
    const hash = createHash("sha256").update(Buffer.from(clientData, "base64url")).digest();
    const signature = sign("sha256", Buffer.concat([data, hash]), this.#key);
    return {
      setup: asked.setup,
      id: this.id,
      client_data: clientData,
      authenticator_data: data.toString("base64url"),
      signature: signature.toString("base64url"),
    };
  }

  #authenticatorData(more: number, { isVerified = true }: Faults): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const flags = USER_PRESENT | (isVerified ? USER_VERIFIED : 0) | more;
    const site = createHash("sha256").update(this.#rpId).digest();
    return Buffer.concat([site, Buffer.from([flags]), counter]);
  }

  #clientData(type: string, challenge: string, { origin = this.#origin }: Faults): string {
    const data = { type, challenge, origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(data)).toString("base64url");
  }
}
