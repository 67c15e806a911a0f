import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVisitors, PASSWORD } from "../../testing/console-users.ts";
import { PasskeyDevice } from "../../testing/passkey-device.ts";
import { suiteKit } from "../../testing/suite.ts";

const ORIGIN = "https://console.example.com";

describe("passkeys", () => {
  const kit = suiteKit({
    LONGWAVE_PUBLIC_URL: ORIGIN,
    LONGWAVE_REQUIRE_SECOND_FACTOR: "owners",
  });
  const { call, signIn } = createVisitors(kit);

  const join = async (email: string, role: string) => {
    const account = (await kit().operator("POST", "/accounts", { name: email })).body.id as string;
    const invited = await kit().operator("POST", `/accounts/${account}/invitations`, {
      email,
      role,
    });
    const token = String(invited.body.url).split("#")[1];
    const joined = await call("POST", "/links/redeem", { body: { token, password: PASSWORD } });
    return { account, cookie: joined.cookie ?? "" };
  };
  const add = async (cookie: string, device: PasskeyDevice, name = "Laptop") => {
    const made = await call("POST", "/me/passkeys/options", { cookie });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    return call("POST", "/me/passkeys", { cookie, body: { name, ...device.create(made.body) } });
  };
  const challenge = async () => (await call("POST", "/passkeys/options")).body;
  const signInWith = async (body: object) => call("POST", "/passkeys/sign-in", { body });
  const listOf = async (cookie: string) =>
    (await call("GET", "/me/passkeys", { cookie })).body.data;

  it("satisfies a required second factor, and signs in without a password", async () => {
    const { account, cookie } = await join("ada@example.com", "owner");
    const before = await call("GET", `/${account}/members`, { cookie });
    assert.equal(before.body.error.code, "second_factor_required");
    const device = new PasskeyDevice(ORIGIN);
    const added = await add(cookie, device);
    assert.equal(added.status, 200, JSON.stringify(added.body));
    assert.equal(added.body.recovery_codes.length, 10);
    const members = await call("GET", `/${account}/members`, { cookie });
    assert.deepEqual([members.status, members.body.data[0].second_factor], [200, true]);
    const signed = await signInWith(device.sign(await challenge()));
    assert.equal(signed.status, 200, JSON.stringify(signed.body));
    const { user } = (await call("GET", "/session", { cookie: signed.cookie })).body;
    assert.deepEqual([user.email, user.passkeys_enabled], ["ada@example.com", true]);
    assert.match((await listOf(cookie))[0].used_at, /Z$/);
    const actions = await kit().rows(
      "select distinct action from audit_log where action like 'user.passkey%'",
    );
    assert.deepEqual(actions, [{ action: "user.passkey_added" }]);
  });

  it("asks a password for the passkey, or for a recovery code", async () => {
    const { cookie } = await join("grace@example.com", "viewer");
    const { recovery_codes: codes } = (await add(cookie, new PasskeyDevice(ORIGIN))).body;
    const asked = await signIn("grace@example.com");
    assert.deepEqual(asked.body, { object: "sign_in", code_required: true, passkeys: true });
    assert.equal(asked.cookie, null);
    const six = await signIn("grace@example.com", { code: "123456" });
    assert.equal(six.body.error.code, "invalid_credentials");
    const recovered = await signIn("grace@example.com", { code: codes[0] });
    assert.equal(recovered.status, 200, JSON.stringify(recovered.body));
    assert.equal((await signIn("grace@example.com", { code: codes[0] })).status, 401);
    const second = await add(recovered.cookie ?? "", new PasskeyDevice(ORIGIN), "Phone");
    assert.equal(second.body.recovery_codes, null, "codes are made once");
  });

  it("takes no signature twice, of another site, of another person or without the device's check", async () => {
    const { cookie } = await join("mary@example.com", "viewer");
    const device = new PasskeyDevice(ORIGIN);
    await add(cookie, device);
    const form = device.sign(await challenge());
    assert.equal((await signInWith(form)).status, 200);
    const refused = [
      form,
      device.sign(await challenge(), { origin: "https://console.example.net" }),
      device.sign(await challenge(), { isVerified: false }),
      new PasskeyDevice(ORIGIN).sign(await challenge()),
      { ...device.sign(await challenge()), setup: (await challenge()).setup },
    ];
    for (const body of refused) {
      const { status, body: answer } = await signInWith(body);
      assert.deepEqual([status, answer.error.code], [401, "invalid_credentials"]);
    }
    const late = device.sign(await challenge());
    await kit().advance(5 * 60);
    assert.equal((await signInWith(late)).body.error.param, "setup");
    assert.equal((await signInWith({ ...late, setup: "AAAA" })).body.error.param, "setup");
    device.counter = 0;
    const copy = await signInWith(device.sign(await challenge()));
    assert.equal(copy.status, 401, "a copy of the key counts behind");
  });

  it("confirms the person who is signed in, and nobody else", async () => {
    const one = new PasskeyDevice(ORIGIN);
    const { cookie } = await join("one@example.com", "viewer");
    await add(cookie, one);
    const two = new PasskeyDevice(ORIGIN);
    await add((await join("two@example.com", "viewer")).cookie, two);
    await kit().advance(11 * 60);
    const late = await call("POST", "/me/passkeys/options", { cookie });
    assert.equal(late.body.error.code, "confirmation_required");
    const confirm = async (device: PasskeyDevice) =>
      call("POST", "/session/confirm/passkey", { cookie, body: device.sign(await challenge()) });
    assert.equal((await confirm(two)).status, 401);
    const confirmed = await confirm(one);
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
    const again = await call("POST", "/me/passkeys/options", { cookie: confirmed.cookie });
    assert.equal(again.status, 200);
  });

  it("is removed, unless it is the only factor that the installation requires", async () => {
    const { account, cookie } = await join("boss@example.com", "owner");
    await add(cookie, new PasskeyDevice(ORIGIN));
    const [first] = await listOf(cookie);
    const refused = await call("DELETE", `/me/passkeys/${first.id}`, { cookie });
    assert.deepEqual([refused.status, refused.body.error.code], [409, "invalid_state"]);
    const device = new PasskeyDevice(ORIGIN);
    await add(cookie, device, "Phone");
    assert.equal((await call("DELETE", `/me/passkeys/${first.id}`, { cookie })).status, 200);
    assert.deepEqual(
      (await listOf(cookie)).map(({ name }: { name: string }) => name),
      ["Phone"],
    );
    const { cookie: other } = await join("other@example.com", "viewer");
    const [left] = await listOf(cookie);
    assert.equal((await call("DELETE", `/me/passkeys/${left.id}`, { cookie: other })).status, 404);
    assert.equal((await call("DELETE", "/me/passkeys/none", { cookie: other })).status, 404);
    assert.equal((await call("GET", `/${account}/members`, { cookie })).status, 200);
  });

  it("without any factor left, recovery codes are void", async () => {
    const { cookie } = await join("left@example.com", "viewer");
    const { recovery_codes: codes } = (await add(cookie, new PasskeyDevice(ORIGIN))).body;
    const [only] = await listOf(cookie);
    assert.equal((await call("DELETE", `/me/passkeys/${only.id}`, { cookie })).status, 200);
    assert.equal((await signIn("left@example.com")).body.code_required, false);
    const [row] = await kit().rows("select recovery_codes from users where email = $1", [
      "left@example.com",
    ]);
    assert.equal(codes.length, 10);
    assert.deepEqual(row.recovery_codes, []);
  });

  it("names what is wrong with a form", async () => {
    const { cookie } = await join("wrong@example.com", "viewer");
    const device = new PasskeyDevice(ORIGIN);
    const made = (await call("POST", "/me/passkeys/options", { cookie })).body;
    const form = { name: "Laptop", ...device.create(made) };
    const cases: readonly [object, string][] = [
      [{ ...form, name: " " }, "name"],
      [{ ...form, setup: "AAAA" }, "setup"],
      [{ ...form, attestation: "AAAA" }, "attestation"],
      [{ ...form, attestation: "no base64" }, "attestation"],
      [{ ...form, ...device.create(made, { origin: "https://x.example" }) }, "attestation"],
      [{ ...form, id: new PasskeyDevice(ORIGIN).id }, "attestation"],
    ];
    for (const [body, param] of cases) {
      const answer = await call("POST", "/me/passkeys", { cookie, body });
      assert.deepEqual([answer.status, answer.body.error.param], [400, param]);
    }
    assert.deepEqual(await listOf(cookie), []);
    assert.equal((await call("POST", "/me/passkeys", { cookie, body: form })).status, 200);
    const again = await call("POST", "/me/passkeys", { cookie, body: form });
    assert.deepEqual([again.status, again.body.error.param], [400, "setup"]);
  });
});
