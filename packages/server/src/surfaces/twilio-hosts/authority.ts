import {
  createECDH,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from "node:crypto";
import type { Random } from "../../core/platform/random.ts";
import type { Secrets } from "../../core/platform/secrets.ts";
import {
  bitString,
  boolean,
  explicit,
  implicit,
  implicitSequence,
  integer,
  octetString,
  oid,
  sequence,
  set,
  utcTime,
  utf8String,
} from "./der.ts";

/** The only domain that the authority can vouch for. */
export const TWILIO_DOMAIN = "twilio.com";
const AUTHORITY_NAME = "Longwave (in place of twilio.com)";
const AUTHORITY_FROM = Date.UTC(2026, 0, 1);
const AUTHORITY_UNTIL = Date.UTC(2046, 0, 1);
/** Length of a host certificate's life. The day before covers clients whose clock is behind. */
export const HOST_DAYS = 90;
const DAY_MS = 86_400_000;
const CURVE = "P-256";
const KEY_ID_BYTES = 20;
const SERIAL_BYTES = 16;

const OID = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  alternativeName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  nameConstraints: "2.5.29.30",
  authorityKeyId: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
} as const;

/** Numbers of the choices of GeneralName. */
const DNS_NAME = 2;
const IP_ADDRESS = 7;

export interface HostCertificate {
  readonly key: string;
  readonly cert: string;
}

/** Certificate authority of the installation for Twilio's host names. */
export interface Authority {
  /** Public key, for comparing a stored certificate with this authority. */
  readonly publicKey: KeyObject;
  /** Signs the authority's own certificate. Its bytes differ each time, its key and name do not. */
  certificate(): string;
  /** Issues a certificate with a new key for host names of Twilio's domain. */
  issue(hosts: readonly string[], nowMs: number, random: Random): HostCertificate;
}

/** The key derives from the root key, so that all machines of an installation share it and none stores it. */
export function createAuthority(secrets: Secrets): Authority {
  const privateKey = deriveKey(secrets);
  const publicKey = createPublicKey(privateKey);
  const keyId = keyIdOf(publicKey);
  const name = distinguishedName(AUTHORITY_NAME);
  return {
    publicKey,
    certificate: () =>
      signed(privateKey, {
        serial: serialOf(keyId),
        issuer: name,
        subject: name,
        from: AUTHORITY_FROM,
        until: AUTHORITY_UNTIL,
        publicKey,
        extensions: authorityExtensions(keyId),
      }),
    issue(hosts, nowMs, random) {
      const pair = generateKeyPairSync("ec", { namedCurve: CURVE });
      const cert = signed(privateKey, {
        serial: serialOf(random.bytes(SERIAL_BYTES)),
        issuer: name,
        subject: distinguishedName("Longwave"),
        from: nowMs - DAY_MS,
        until: nowMs + HOST_DAYS * DAY_MS,
        publicKey: pair.publicKey,
        extensions: hostExtensions(hosts, keyId, keyIdOf(pair.publicKey)),
      });
      return { key: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(), cert };
    },
  };
}

function deriveKey(secrets: Secrets): KeyObject {
  const scalar = secrets.hmac("twilio-authority", CURVE);
  // Below the order of the curve, which begins with 0xff.
  scalar[0] = (scalar[0] ?? 0) & 0x7f;
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(scalar);
  const point = ecdh.getPublicKey();
  const half = (point.length - 1) / 2;
  const key = {
    kty: "EC",
    crv: CURVE,
    d: scalar.toString("base64url"),
    x: point.subarray(1, 1 + half).toString("base64url"),
    y: point.subarray(1 + half).toString("base64url"),
  };
  return createPrivateKey({ key, format: "jwk" });
}

interface ToSign {
  readonly serial: Buffer;
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly from: number;
  readonly until: number;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** A certificate of X.509 version 3 (RFC 5280, section 4.1), as PEM. */
function signed(key: KeyObject, parts: ToSign): string {
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const version3 = explicit(0, integer(Buffer.from([2])));
  const body = sequence(
    version3,
    integer(parts.serial),
    algorithm,
    parts.issuer,
    sequence(utcTime(parts.from), utcTime(parts.until)),
    parts.subject,
    spkiOf(parts.publicKey),
    explicit(3, sequence(...parts.extensions)),
  );
  const signature = bitString(sign("sha256", body, key));
  const base64 = sequence(body, algorithm, signature).toString("base64");
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** Name constraints confine the authority to one domain: stolen or misused, it vouches for nothing else. */
function authorityExtensions(keyId: Buffer): Buffer[] {
  const permitted = sequence(implicit(DNS_NAME, Buffer.from(TWILIO_DOMAIN)));
  // Address and mask of the whole IPv4 and IPv6 space.
  const everyAddress = [8, 32].map((bytes) => sequence(implicit(IP_ADDRESS, Buffer.alloc(bytes))));
  const constraints = sequence(
    implicitSequence(0, permitted),
    implicitSequence(1, ...everyAddress),
  );
  const noIntermediates = sequence(boolean(true), integer(Buffer.alloc(1)));
  return [
    critical(OID.basicConstraints, noIntermediates),
    critical(OID.keyUsage, bitString(Buffer.from([0b0000_0100]), 2)),
    critical(OID.nameConstraints, constraints),
    extension(OID.extendedKeyUsage, sequence(oid(OID.serverAuth))),
    extension(OID.subjectKeyId, octetString(keyId)),
  ];
}

function hostExtensions(hosts: readonly string[], authorityId: Buffer, keyId: Buffer): Buffer[] {
  const names = hosts.map((host) => implicit(DNS_NAME, Buffer.from(host)));
  return [
    critical(OID.basicConstraints, sequence()),
    critical(OID.keyUsage, bitString(Buffer.from([0b1000_0000]), 7)),
    extension(OID.extendedKeyUsage, sequence(oid(OID.serverAuth))),
    extension(OID.alternativeName, sequence(...names)),
    extension(OID.subjectKeyId, octetString(keyId)),
    extension(OID.authorityKeyId, sequence(implicit(0, authorityId))),
  ];
}

/** A positive number without leading zeros. */
function serialOf(bytes: Buffer): Buffer {
  const [first = 0, ...rest] = bytes.subarray(0, SERIAL_BYTES);
  return Buffer.from([(first & 0x3f) | 0x40, ...rest]);
}

const extension = (id: string, value: Buffer) => sequence(oid(id), octetString(value));
const critical = (id: string, value: Buffer) =>
  sequence(oid(id), boolean(true), octetString(value));

function distinguishedName(commonName: string): Buffer {
  return sequence(set(sequence(oid(OID.commonName), utf8String(commonName))));
}

const spkiOf = (key: KeyObject): Buffer => key.export({ type: "spki", format: "der" });

function keyIdOf(key: KeyObject): Buffer {
  return createHash("sha256").update(spkiOf(key)).digest().subarray(0, KEY_ID_BYTES);
}
