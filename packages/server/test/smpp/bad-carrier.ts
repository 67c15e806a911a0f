import assert from "node:assert/strict";
import { ACCEPTED, type Behaviour, Smsc } from "@longwave/smpp/smsc";
import type { Sender } from "../../testing/attacks/stage.ts";
import { phones } from "../../testing/batches.ts";
import { freePort } from "../../testing/free-port.ts";
import type { Lifetime } from "../../testing/kit.ts";
import { smppEntry } from "../../testing/smpp-stage.ts";

/** Numbers of the account with the good carrier and of the one with the bad carrier. */
export const HEALTHY_FROM = "+14155550100";
export const HURT_FROM = "+14155550101";
const SMSC_OPTIONS = { password: "secret", redeliverMs: 50 };

/** Two carriers, each for one account's number. The test controls the bad one. */
export interface BadCarrier {
  /** Carriers file entries. */
  readonly carriers: readonly object[];
  readonly troubles: readonly Trouble[];
  /** Phones for which the bad carrier accepted more than one message. */
  takenTwice(): string[];
  /** Number of acknowledged receipts of unknown messages. */
  acknowledged(): number;
}

/** A failure of the bad carrier. */
export interface Trouble {
  readonly name: string;
  /** Starts the failure, with messages of the account that uses this carrier; returns a function that ends it. */
  begin(hurt: Sender, texts: number): Promise<() => Promise<void>>;
}

export async function startBadCarrier(
  lifetime: Lifetime,
  window: number,
  goodWindow = window,
): Promise<BadCarrier> {
  const good = await Smsc.start(SMSC_OPTIONS);
  lifetime.after(() => good.stop());
  let isSilent = false;
  const behave = (): Behaviour => ({
    ...ACCEPTED,
    answer: isSilent ? "none" : "accept",
    receipt: null,
  });
  // A fixed port, so that it restarts at the same address.
  const port = await freePort();
  const smscs = [await Smsc.start({ ...SMSC_OPTIONS, behave, port })];
  const bad = () => smscs.at(-1) as Smsc;
  let isAway = false;
  lifetime.after(async () => {
    if (!isAway) await bad().stop();
  });
  const flood = createFlood(bad);
  return {
    carriers: [
      smppEntry(good, { name: "good", numbers: [HEALTHY_FROM], window: goodWindow }),
      smppEntry(bad(), { name: "bad", numbers: [HURT_FROM], window }),
    ],
    takenTwice() {
      const all = smscs.flatMap((smsc) => smsc.journal.taken().map(({ to }) => to));
      return all.filter((to, index) => all.indexOf(to) !== index);
    },
    acknowledged: flood.acknowledged,
    troubles: [
      {
        name: "never responds",
        async begin(hurt, texts) {
          isSilent = true;
          const cancel = await startBatch(hurt, phones(texts));
          return async () => {
            await cancel();
            isSilent = false;
          };
        },
      },
      {
        name: "is down",
        async begin(hurt, texts) {
          isAway = true;
          await bad().stop();
          const cancel = await startBatch(hurt, phones(texts, texts));
          return async () => {
            await cancel();
            smscs.push(await Smsc.start({ ...SMSC_OPTIONS, behave, port }));
            isAway = false;
          };
        },
      },
      {
        name: "sends receipts of unknown messages, as fast as they are acknowledged",
        begin: async () => flood.begin(),
      },
    ],
  };
}

/** Starts a batch; the result cancels what is not yet sent. */
async function startBatch(
  { url, key, from }: Sender,
  to: readonly string[],
): Promise<() => Promise<void>> {
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    assert.ok(answer.ok, await answer.clone().text());
    return (await answer.json()) as { id: string };
  };
  const recipients = to.map((phone) => ({ to: phone }));
  const { id } = await post("/v1/batches", { from, body: "Hello", recipients });
  return async () => void (await post(`/v1/batches/${id}/cancel`, {}));
}

const FLOODED_AT_ONCE = 50;

/** Sends receipts with unknown ids concurrently until it is stopped. */
function createFlood(smsc: () => Smsc) {
  let sent = 0;
  let acknowledged = 0;
  const sendReceipt = async () => {
    sent += 1;
    const short_message = Buffer.from(`id:unknown-${sent} stat:DELIVRD err:000`);
    const status = await smsc().deliver("us", "14155552000", {
      fields: { esm_class: 4, short_message },
      tlvs: [],
    });
    if (status === 0) acknowledged += 1;
  };
  return {
    acknowledged: () => acknowledged,
    begin(): () => Promise<void> {
      let isOver = false;
      const sending = Array.from({ length: FLOODED_AT_ONCE }, async () => {
        while (!isOver) await sendReceipt();
      });
      return async () => {
        isOver = true;
        await Promise.all(sending);
      };
    },
  };
}

type Rows = (text: string) => Promise<{ n: number }[]>;

/** Asserts that no phone got two messages, and that every acknowledged receipt is stored once. */
export async function assertNothingLost(carrier: BadCarrier, rows: Rows): Promise<void> {
  assert.deepEqual(carrier.takenTwice(), []);
  const [distinct] = await rows(
    "select count(distinct reference)::int as n from carrier_inbox where carrier like 'bad%' and kind = 'receipt'",
  );
  const [all] = await rows(
    "select count(*)::int as n from carrier_inbox where carrier like 'bad%' and kind = 'receipt'",
  );
  assert.ok(carrier.acknowledged() > 0);
  assert.deepEqual([distinct?.n, all?.n], [carrier.acknowledged(), carrier.acknowledged()]);
}
