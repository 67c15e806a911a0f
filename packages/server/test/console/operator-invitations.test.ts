import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { describe, it } from "node:test";
import { fromApiId } from "../../src/core/platform/ids.ts";
import { createVisitors, PASSWORD } from "../../testing/console-users.ts";
import { OPERATOR_TOKEN } from "../../testing/kit.ts";
import { startMailReceiver } from "../../testing/mail-receiver.ts";
import { suiteKit } from "../../testing/suite.ts";

const tokenOf = (url: string) => url.split("#")[1] ?? "";

describe("invitations by the operator", () => {
  const kit = suiteKit();
  const { call, asOwner, asRole } = createVisitors(kit);
  const newAccount = async (name: string): Promise<string> => {
    // The first user signs up before anybody is invited.
    await asOwner();
    return (await kit().operator("POST", "/accounts", { name })).body.id;
  };
  const inviteWithToken = (account: string, body: object) =>
    kit().operator("POST", `/accounts/${account}/invitations`, body);
  const redeem = (token: string) =>
    call("POST", "/links/redeem", { body: { token, password: PASSWORD } });

  it("an account without members gets its owner, who then invites others", async () => {
    const account = await newAccount("Second Shop");
    const made = await inviteWithToken(account, { email: "Grace@example.com" });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { url, expires_at, ...rest } = made.body;
    assert.deepEqual(rest, {
      object: "invitation",
      account_id: account,
      email: "Grace@example.com",
      role: "owner",
      mailed: false,
    });
    assert.equal(Date.parse(expires_at) - kit().deps.clock.now() > 6 * 86_400_000, true);
    const cookie = (await redeem(tokenOf(url))).cookie ?? "";
    const { body } = await call("GET", "/session", { cookie });
    assert.deepEqual(
      [
        body.user.operator,
        body.accounts.map((one: { id: string; role: string }) => [one.id, one.role]),
      ],
      [false, [[account, "owner"]]],
    );
    const next = { cookie, body: { email: "lin@example.com", role: "member" } };
    assert.equal((await call("POST", `/${account}/invitations`, next)).status, 201);

    const again = await inviteWithToken(account, { email: "grace@EXAMPLE.com", role: "viewer" });
    assert.deepEqual(
      [again.status, again.body.error.code, again.body.error.param],
      [409, "already_exists", "email"],
    );
    const entries = await kit().rows(
      "select actor_type, changes from audit_log where account_id = $1 and action = 'member.invited' order by seq",
      [fromApiId("account", account)],
    );
    assert.deepEqual(
      entries.map(({ actor_type }: { actor_type: string }) => actor_type),
      ["operator", "user"],
    );
    assert.deepEqual(entries[0].changes, {
      email: { from: null, to: "Grace@example.com" },
      role: { from: null, to: "owner" },
    });
  });

  it("a retry with the same Idempotency-Key shows the same link, and no second one exists", async () => {
    const account = await newAccount("Third Shop");
    const given = {
      key: OPERATOR_TOKEN,
      headers: { "idempotency-key": "once" },
      body: { email: "a@example.com" },
    };
    const path = `/operator/v1/accounts/${account}/invitations`;
    const [first, second] = [
      await kit().request("POST", path, given),
      await kit().request("POST", path, given),
    ];
    assert.equal(first.body.url, second.body.url);
    const links = await kit().rows("select 1 from console_links where account_id = $1", [
      fromApiId("account", account),
    ]);
    assert.equal(links.length, 1);
  });

  it("refuses unknown accounts, wrong emails and wrong roles, naming the field", async () => {
    const account = await newAccount("Fourth Shop");
    const none = "acct_00000000000000000000000000";
    assert.equal((await inviteWithToken(none, { email: "a@example.com" })).status, 404);
    for (const [param, body] of [
      ["email", { email: "nobody" }],
      ["email", {}],
      ["role", { email: "a@example.com", role: "operator" }],
    ] as const) {
      const refused = await inviteWithToken(account, body);
      assert.deepEqual([refused.status, refused.body.error.param], [400, param]);
    }
  });

  it("an invitation to an account that is deleted meanwhile no longer works", async () => {
    const account = await newAccount("Closing Shop");
    const made = await inviteWithToken(account, { email: "late@example.com" });
    const token = tokenOf(made.body.url);
    const opened = () => call("POST", "/links/open", { body: { token } });
    assert.equal((await opened()).status, 200);
    const deleted = await kit().operator("DELETE", `/accounts/${account}?confirm=Closing%20Shop`);
    assert.equal(deleted.status, 200, JSON.stringify(deleted.body));
    assert.deepEqual([(await opened()).status, (await redeem(token)).status], [404, 404]);
    assert.equal((await inviteWithToken(account, { email: "later@example.com" })).status, 404);
  });

  it("only operators invite in the console, with the password given recently", async () => {
    const account = await newAccount("Fifth Shop");
    const path = `/operator/accounts/${account}/invitations`;
    const body = { email: "joan@example.com", role: "admin" };
    const refused = await call("POST", path, { cookie: await asRole("owner"), body });
    assert.equal(refused.body.error.required_role, "operator");
    const { cookie } = await asOwner();
    const made = await call("POST", path, { cookie, body });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    await kit().advance(11 * 60);
    const late = await call("POST", path, { cookie, body });
    assert.equal(late.body.error.code, "confirmation_required");
    const confirm = { cookie, body: { password: PASSWORD } };
    assert.equal((await call("POST", "/session/confirm", confirm)).status, 200);
  });
});

describe("an operator's invitation after the role was revoked", () => {
  const kit = suiteKit();
  const { call, asOwner, asRole } = createVisitors(kit);

  it("no longer works, and works no more once the role is back", async () => {
    const { cookie } = await asOwner();
    const second = await asRole("member");
    const { user } = (await call("GET", "/session", { cookie: second })).body;
    const grant = () =>
      call("POST", "/operator/operators", { cookie, body: { email: user.email } });
    assert.equal((await grant()).status, 201);
    const { body: account } = await kit().operator("POST", "/accounts", { name: "Elsewhere" });
    const made = await call("POST", `/operator/accounts/${account.id}/invitations`, {
      cookie: second,
      body: { email: "mallory@example.com" },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const token = tokenOf(made.body.url);
    const open = async () => (await call("POST", "/links/open", { body: { token } })).status;
    assert.equal(await open(), 200);
    const revoke = await call("DELETE", `/operator/operators/${user.id}`, { cookie });
    assert.equal(revoke.status, 200);
    assert.equal(await open(), 404);
    await kit().rows("update console_links set used_at = null where email = 'mallory@example.com'");
    assert.equal(await open(), 404, "also by the check at its use");
    await kit().rows(
      "update console_links set used_at = now() where email = 'mallory@example.com'",
    );
    assert.equal((await grant()).status, 201);
    assert.equal(await open(), 404);
  });
});

describe("a mailed invitation", async () => {
  const mail = await startMailReceiver();
  const kit = suiteKit({ LONGWAVE_SMTP_URL: `smtp://${mail.host}?from=texts@example.com` });
  const { asOwner } = createVisitors(kit);

  it("leads to this server, whatever host the inviter's request names", async () => {
    const { cookie, account } = await asOwner();
    const text = JSON.stringify({ email: "victim@example.com", role: "viewer" });
    const headers = {
      ...{ host: "203.0.113.9", cookie, "content-type": "application/json" },
      ...{ "sec-fetch-site": "same-origin", "longwave-console": "1" },
      "content-length": Buffer.byteLength(text),
    };
    const asked = request(`${kit().url}/console/v1/${account}/invitations`, {
      ...{ method: "POST", headers },
    });
    asked.end(text);
    const [answer] = await once(asked, "response");
    answer.resume();
    await once(answer, "end");
    assert.equal(answer.statusCode, 201);
    assert.deepEqual(mail.mails[0]?.to, ["victim@example.com"]);
    assert.doesNotMatch(mail.mails[0]?.text ?? "", /203\.0\.113\.9/);
  });

  it("reaches its person, within the daily limit of the address", async () => {
    const { body: account } = await kit().operator("POST", "/accounts", { name: "Sixth Shop" });
    const mailed = [];
    for (let count = 0; count < 4; count += 1) {
      const given = { email: "ida@example.com" };
      const made = await kit().operator("POST", `/accounts/${account.id}/invitations`, given);
      mailed.push(made.body.mailed);
    }
    assert.deepEqual(mailed, [true, true, true, false]);
    const mails = mail.mails.filter(({ to }) => to[0] === "ida@example.com");
    assert.equal(mails.length, 3);
    assert.match(mails[0]?.text ?? "", /Sixth Shop/);
  });
});
