import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { mailNotices } from "../../src/surfaces/console/index.ts";
import { createVisitors } from "../../testing/console-users.ts";
import { freePort } from "../../testing/free-port.ts";
import { giveRegistration } from "../../testing/give-registration.ts";
import { startMailReceiver } from "../../testing/mail-receiver.ts";
import { carriersFile, smppEntry } from "../../testing/smpp-stage.ts";
import { suiteKit } from "../../testing/suite.ts";

const mail = await startMailReceiver();
const ORIGIN = "http://console.example.com";
/** Nothing listens there. */
const carriers = await carriersFile({ after }, [smppEntry({ port: await freePort() })]);

describe("notices by mail", () => {
  const kit = suiteKit({
    LONGWAVE_ROLES: "api",
    LONGWAVE_CARRIERS: carriers,
    LONGWAVE_SMTP_URL: `smtp://${mail.host}?from=texts@example.com`,
    LONGWAVE_PUBLIC_URL: ORIGIN,
  });
  const { call, asOwner, asRole } = createVisitors(kit);

  /** Runs the task twice: the second run must mail nothing. Subjects of the mails, and their receivers. */
  async function mailed() {
    const before = mail.mails.length;
    const run = () => mailNotices.run(kit().deps, new AbortController().signal);
    await run();
    const sent = mail.mails.slice(before);
    await run();
    assert.equal(mail.mails.length, before + sent.length, "mailed twice");
    return sent.map(({ to, text }) => ({
      to: to.join(),
      subject: /^Subject: (.*)$/m.exec(text)?.[1] ?? "",
      text,
    }));
  }

  it("operators get mail about a request for live access, once, unless they turned mails off", async () => {
    const { cookie, account } = await asOwner();
    await mailed();
    const request = (company: string) =>
      call("POST", `/${account}/test/live-access`, {
        cookie,
        headers: { "idempotency-key": `ask ${company.length}` },
        body: {
          company,
          website: "https://acme.example.com",
          use_case: "Codes",
          monthly_volume: 9,
        },
      });
    const asked = await request("Acme\nBcc: eve@example.com");
    assert.ok(asked.status < 300 || asked.status === 400, JSON.stringify(asked.body));
    assert.ok((await request("Acme")).status < 300);
    const [notice, ...others] = await mailed();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [notice?.to, notice?.subject],
      ["Ada@example.com", "Test account requests live access"],
    );
    assert.match(
      notice?.text ?? "",
      /http:\/\/console\.example\.com\/op\/reviews\?tab=live-access/,
    );
    const off = await call("PATCH", "/me", { cookie, body: { mail_notices: false } });
    assert.deepEqual([off.body.name, off.body.mail_notices], ["Ada", false]);
    assert.equal((await call("GET", "/session", { cookie })).body.user.mail_notices, false);
    await kit().advance(1);
    assert.ok((await request("Acme again")).status < 300);
    assert.deepEqual(await mailed(), []);
    await call("PATCH", "/me", { cookie, body: { mail_notices: true } });
  });

  it("admins get mail about a decided registration, a passed threshold and a failing webhook; members do not", async () => {
    const { account } = await asOwner();
    await asRole("member");
    const { shard, id } = kit().account;
    const now = kit().deps.clock.now();
    const [endpoint, event] = [kit().deps.ids.makeAt(now), kit().deps.ids.makeAt(now)];
    const at = new Date(now);
    await kit().rows(
      `insert into spend_limits (shard, account_id, alert_thresholds, alerted_month, alerted_thresholds, updated_at)
       values ($1, $2, '{50,80}', $3, '{50,80}', $4)`,
      [shard, id, `${at.toISOString().slice(0, 7)}-01`, at],
    );
    await kit().rows(
      `insert into webhook_endpoints (shard, account_id, id, slot, url, active, secret, created_at)
       values ($1, $2, $3, 0, 'https://acme.example.com/hook', true, '', $4)`,
      [shard, id, endpoint, new Date(now)],
    );
    await kit().rows(
      `insert into webhook_undelivered (shard, account_id, endpoint_id, event_id, attempts, last_attempt_at, mode)
       values ($1, $2, $3, $4, 6, $5, 'test')`,
      [shard, id, endpoint, event, new Date(now)],
    );
    const registration = await giveRegistration(kit());
    const submitted = await kit().request("POST", `/v1/registrations/${registration}/submit`);
    assert.equal(submitted.status, 200, JSON.stringify(submitted.body));
    const approved = await kit().operator("POST", `/registrations/${registration}/review`, {
      decision: "approve",
    });
    assert.equal(approved.status, 200, JSON.stringify(approved.body));
    const sent = await mailed();
    assert.deepEqual(sent.map(({ to, subject }) => `${to}: ${subject}`).toSorted(), [
      "Ada@example.com: 80 % of this month's spend limit is used",
      "Ada@example.com: Hillside Dental: registration approved",
      "Ada@example.com: Webhook https://acme.example.com/hook fails",
    ]);
    assert.ok(sent.every(({ text }) => text.includes(`${ORIGIN}/${account}/`)));
    // A day later the endpoint has failed again.
    await kit().rows("update webhook_undelivered set last_attempt_at = $1", [
      new Date(now + 86_400_000),
    ]);
    await kit().advance(86_400);
    await kit().operator("POST", `/registrations/${registration}/review`, { decision: "suspend" });
    const again = await mailed();
    assert.deepEqual(again.map(({ subject }) => subject).toSorted(), [
      "Hillside Dental: registration suspended",
      "Webhook https://acme.example.com/hook fails",
    ]);
  });

  it("operators get mail about a carrier that has been down for five minutes, once", async () => {
    await asOwner();
    // The last bind went down six minutes ago, another one an hour ago.
    const insert = (bind: number, ago: string) =>
      kit().rows(
        `insert into carrier_binds (carrier, bind, lease_epoch, state, since, in_flight, last_error)
         values ('wire', $1, 1, 'down', statement_timestamp() - $2::interval, 0, 'connect ECONNREFUSED 127.0.0.1')
         on conflict (carrier, bind) do update set state = 'down', since = excluded.since, lease_until = null, last_error = excluded.last_error`,
        [bind, ago],
      );
    await insert(2, "1 hour");
    await insert(1, "1 minute");
    const isCarrier = ({ subject }: { subject: string }) => subject === "Carrier wire is down";
    assert.equal((await mailed()).some(isCarrier), false, "it may come back by itself");
    await insert(1, "6 minutes");
    const [notice, ...others] = await mailed();
    assert.deepEqual([notice?.subject, others], ["Carrier wire is down", []]);
    assert.match(notice?.text ?? "", /Its last error: connect ECONNREFUSED/);
  });

  it("operators get mail once a day about a carrier that delivers for numbers it does not serve", async () => {
    await asOwner();
    const inbound = (at: number) =>
      kit().rows(
        `insert into carrier_unowned (carrier, kind, items, last_at, last_number)
         select 'wire', kind, 1, $1, '+12065550177' from unnest('{inbound,receipt}'::text[]) as kind
         on conflict (carrier, kind) do update set last_at = excluded.last_at`,
        [new Date(at)],
      );
    const title = "Carrier wire delivers for numbers it does not serve";
    const noticed = async () => (await mailed()).filter(({ subject }) => subject === title);
    const now = kit().deps.clock.now();
    await inbound(now - 2 * 86_400_000);
    assert.deepEqual(await noticed(), []);
    await inbound(now);
    const [notice, ...others] = await noticed();
    assert.deepEqual(others, []);
    assert.match(notice?.text ?? "", /\+12065550177/);
    assert.ok(notice?.text.includes(`${ORIGIN}/op/carriers/wire`));
    await kit().advance(86_400);
    await inbound(kit().deps.clock.now());
    assert.equal((await noticed()).length, 1, "the next day");
  });
});
