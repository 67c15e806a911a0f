import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import {
  type ReceivedStandard,
  type ReceivedSvc,
  signStandard,
  signSvc,
  standardWebhooksKey,
  verifyStandard,
  verifyStandardAsync,
  verifySvc,
  verifySvcAsync,
  webCryptoHmacSha256,
} from "./signature.ts";

const hmac = (key: Uint8Array, data: Uint8Array): Uint8Array =>
  createHmac("sha256", key).update(data).digest();

const secret = `whsec_${randomBytes(32).toString("base64")}`;
const now = 1_794_744_000;
const body = '{"id":"evt_1","type":"message.sent","data":{"body":"Grüße 👋"}}';

/** HMAC-SHA256 vectors of RFC 4231 with text keys. */
const RFC_4231: [key: string, data: string, mac: string][] = [
  [
    "Jefe",
    "what do ya want for nothing?",
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  ],
  [
    "\x0b".repeat(20),
    "Hi There",
    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
  ],
];

test("WebCrypto and Node compute the vectors of RFC 4231", async () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  for (const [key, data, mac] of RFC_4231) {
    assert.equal(Buffer.from(hmac(bytes(key), bytes(data))).toString("hex"), mac);
    const web = await webCryptoHmacSha256(bytes(key), bytes(data));
    assert.equal(Buffer.from(web).toString("hex"), mac);
  }
});

test("svc-signature is hex HMAC of t.body keyed with the whole secret", () => {
  const mac = createHmac("sha256", secret).update(`${now}.${body}`).digest("hex");
  const header = signSvc({ secret, timestampSeconds: now, body }, hmac);
  assert.equal(header, `t=${now},v1=${mac}`);
  assert.equal(signSvc({ secret, timestampSeconds: now, body: Buffer.from(body) }, hmac), header);
});

test("Standard Webhooks is base64 HMAC of id.t.body keyed with the decoded secret", () => {
  const key = Buffer.from(secret.slice(6), "base64");
  const mac = createHmac("sha256", key).update(`evt_1.${now}.${body}`).digest("base64");
  const header = signStandard({ secret, id: "evt_1", timestampSeconds: now, body }, hmac);
  assert.equal(header, `v1,${mac}`);
});

test("the vector published with the Standard Webhooks libraries", () => {
  const header = signStandard(
    {
      secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      timestampSeconds: 1614265330,
      body: '{"test": 2432232314}',
    },
    hmac,
  );
  assert.equal(header, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

function svc(changes: Partial<ReceivedSvc> = {}): ReceivedSvc {
  const header = signSvc({ secret, timestampSeconds: now, body }, hmac);
  return { secret, body, header, nowSeconds: now, ...changes };
}

function standard(changes: Partial<ReceivedStandard> = {}): ReceivedStandard {
  const header = signStandard({ secret, id: "evt_1", timestampSeconds: now, body }, hmac);
  return { secret, body, header, id: "evt_1", timestamp: String(now), nowSeconds: now, ...changes };
}

test("a signature verifies as text and as bytes, now and 300 seconds either way", async () => {
  for (const nowSeconds of [now, now + 300, now - 300]) {
    for (const raw of [body, Buffer.from(body)]) {
      assert.deepEqual(verifySvc(svc({ nowSeconds, body: raw }), hmac), { ok: true });
      assert.deepEqual(verifyStandard(standard({ nowSeconds, body: raw }), hmac), { ok: true });
      assert.deepEqual(await verifySvcAsync(svc({ nowSeconds, body: raw })), { ok: true });
      assert.deepEqual(await verifyStandardAsync(standard({ nowSeconds, body: raw })), {
        ok: true,
      });
    }
  }
});

test("bodies that are not UTF-8 keep their bytes", () => {
  const raw = Uint8Array.from([0xff, 0xfe, 0x00, 0x80]);
  const header = signSvc({ secret, timestampSeconds: now, body: raw }, hmac);
  assert.ok(verifySvc(svc({ header, body: raw }), hmac).ok);
  assert.ok(!verifySvc(svc({ header, body: new TextDecoder().decode(raw) }), hmac).ok);
});

async function refused(
  received: { svc?: Partial<ReceivedSvc>; standard?: Partial<ReceivedStandard> },
  reason: RegExp,
): Promise<void> {
  const verdicts = [
    ...(received.svc
      ? [verifySvc(svc(received.svc), hmac), await verifySvcAsync(svc(received.svc))]
      : []),
    ...(received.standard
      ? [
          verifyStandard(standard(received.standard), hmac),
          await verifyStandardAsync(standard(received.standard)),
        ]
      : []),
  ];
  for (const verdict of verdicts) {
    assert.equal(verdict.ok, false, JSON.stringify(received));
    if (!verdict.ok) assert.match(verdict.reason, reason);
  }
}

test("another time, body, secret or id fails verification", async () => {
  for (const change of [{ nowSeconds: now + 301 }, { nowSeconds: now - 301 }]) {
    await refused({ svc: change, standard: change }, /301 seconds away/);
  }
  await refused({ svc: { nowSeconds: now + 11, toleranceSeconds: 10 } }, /at most 10/);
  const other = `whsec_${randomBytes(32).toString("base64")}`;
  for (const change of [{ body: `${body} ` }, { body: "" }, { secret: other }]) {
    await refused({ svc: change, standard: change }, /does not match/);
  }
  await refused({ standard: { id: "evt_2" } }, /does not match/);
  await refused({ standard: { timestamp: String(now + 1) } }, /does not match/);
  const { header } = svc();
  await refused({ svc: { header: header.replace(`t=${now}`, `t=${now + 1}`) } }, /does not match/);
  // The key of one scheme fails in the other.
  await refused({ svc: { secret: secret.slice(6) } }, /does not match/);
});

test("malformed headers are refused before any HMAC is computed", async () => {
  const mac = svc().header.split("v1=")[1] ?? "";
  for (const header of [
    "",
    ",",
    `t=${now}`,
    `v1=${mac}`,
    `t=,v1=${mac}`,
    `t=abc,v1=${mac}`,
    `t=-5,v1=${mac}`,
    `t=1e9,v1=${mac}`,
    `t=${now},v1=`,
    `t=${now},v1=${mac.slice(1)}`,
    `t=${now},v1=${mac}00`,
    `t=${now},v1=${"z".repeat(64)}`,
    `t=${now},v0=${mac}`,
    `t=${now},t=${now},v1=${mac}`,
    `T=${now},V1=${mac}`,
    `t=${now},v1=${mac},${"x".repeat(4096)}`,
  ]) {
    await refused({ svc: { header } }, /missing or malformed/);
  }
  const base64 = standard().header.slice(3);
  for (const change of [
    { header: "" },
    { header: base64 },
    { header: `v1=${base64}` },
    { header: `v1a,${base64}` },
    { header: `v1,${base64.slice(1)}` },
    { header: "v1,@@@@" },
    { id: "" },
    { timestamp: "" },
    { timestamp: "soon" },
    { timestamp: `${now}.5` },
  ]) {
    await refused({ standard: change }, /missing or malformed/);
  }
  await refused({ standard: { secret: "whsec_not base64!" } }, /not whsec_ and base64/);
});

test("one right signature among others is enough, and the number tried is bounded", () => {
  const { header } = svc();
  const wrong = `v1=${"0".repeat(64)}`;
  const mac = header.split(",")[1];
  assert.ok(verifySvc(svc({ header: `t=${now},${wrong},${mac}` }), hmac).ok);
  assert.ok(verifySvc(svc({ header: `t=${now}, ${mac}` }), hmac).ok);
  assert.ok(!verifySvc(svc({ header: `t=${now},${`${wrong},`.repeat(16)}${mac}` }), hmac).ok);
  const right = standard().header;
  const zeros = `v1,${Buffer.alloc(32).toString("base64")}`;
  assert.ok(verifyStandard(standard({ header: `${zeros} v1a,xx ${right}` }), hmac).ok);
  assert.ok(!verifyStandard(standard({ header: `${`${zeros} `.repeat(16)}${right}` }), hmac).ok);
});

test("secrets: prefix optional, base64 required", () => {
  assert.deepEqual(standardWebhooksKey("whsec_AAEC"), Uint8Array.from([0, 1, 2]));
  assert.deepEqual(standardWebhooksKey("AAEC"), Uint8Array.from([0, 1, 2]));
  for (const wrong of ["", "whsec_", "whsec_A", "whsec_AA=C", "whsec_****"]) {
    assert.equal(standardWebhooksKey(wrong), null, wrong);
  }
  assert.throws(
    () => signStandard({ secret: "whsec_", id: "e", timestampSeconds: now, body }, hmac),
    RangeError,
  );
});

test("changing any single byte of the body fails verification", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.nat(), (raw, at) => {
      const header = signSvc({ secret, timestampSeconds: now, body: raw }, hmac);
      const changed = raw.slice();
      const index = at % raw.length;
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.ok(verifySvc(svc({ header, body: raw }), hmac).ok);
      assert.ok(!verifySvc(svc({ header, body: changed }), hmac).ok);
    }),
  );
});

test("changing any digit of the signature fails verification", () => {
  const { header } = svc();
  const start = header.indexOf("v1=") + 3;
  for (let i = start; i < header.length; i++) {
    const other = header[i] === "0" ? "1" : "0";
    const changed = header.slice(0, i) + other + header.slice(i + 1);
    assert.equal(verifySvc(svc({ header: changed }), hmac).ok, false, `digit ${i - start}`);
  }
  const mac = Buffer.from(standard().header.slice(3), "base64");
  for (let i = 0; i < mac.length; i++) {
    const changed = Buffer.from(mac);
    changed[i] = (changed[i] ?? 0) ^ 1;
    const received = standard({ header: `v1,${changed.toString("base64")}` });
    assert.equal(verifyStandard(received, hmac).ok, false, `byte ${i}`);
  }
});
