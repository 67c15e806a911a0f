import assert from "node:assert/strict";
import { ACCEPTED, type Behaviour, Smsc } from "@longwave/smpp/smsc";
import type { Sender } from "../../testing/attacks/stage.ts";
import { phones } from "../../testing/batches.ts";
import { freePort } from "../../testing/free-port.ts";
import type { Lifetime } from "../../testing/kit.ts";
import { smppEntry } from "../../testing/smpp-stage.ts";

/** The number of whoever has a good carrier, and of whoever has the bad one. */
export const HEALTHY_FROM = "+14155550100";
export const HURT_FROM = "+14155550101";
const SMSC_OPTIONS = { password: "secret", redeliverMs: 50 };

/** Two carriers, each for the number of one account. The bad one does as it is told. */
export interface BadCarrier {
  /** Entries of the carriers file. */
  readonly carriers: readonly object[];
  readonly troubles: readonly Trouble[];
  /** Phones that the bad carrier took more than one text for. */
  takenTwice(): string[];
  /** Receipts of texts that nobody knows, acknowledged so far. */
  acknowledged(): number;
}

/** What can be the matter with a carrier. */
export interface Trouble {
  readonly name: string;
  /** Begins it, with so many texts of the account that has this carrier; answers what ends it. */
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
  // It comes back where it was.
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
        name: "answers nothing",
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
        name: "is away",
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
        name: "brings receipts that nobody knows, as fast as they are taken",
        begin: async () => flood.begin(),
      },
    ],
  };
}

/** Whatever of the batch has not left by then is canceled. */
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

/** Receipts with names that were never given, so many at once until it is ended. */
function createFlood(smsc: () => Smsc) {
  let brought = 0;
  let acknowledged = 0;
  const bring = async () => {
    brought += 1;
    const short_message = Buffer.from(`id:unknown-${brought} stat:DELIVRD err:000`);
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
      const bringing = Array.from({ length: FLOODED_AT_ONCE }, async () => {
        while (!isOver) await bring();
      });
      return async () => {
        isOver = true;
        await Promise.all(bringing);
      };
    },
  };
}

type Rows = (text: string) => Promise<{ n: number }[]>;

/** Nobody was texted twice, and every receipt that was acknowledged is kept, once. */
export async function assertNothingLost(carrier: BadCarrier, rows: Rows): Promise<void> {
  assert.deepEqual(carrier.takenTwice(), []);
  const [kept] = await rows(
    "select count(distinct reference)::int as n from carrier_inbox where carrier like 'bad%' and kind = 'receipt'",
  );
  const [all] = await rows(
    "select count(*)::int as n from carrier_inbox where carrier like 'bad%' and kind = 'receipt'",
  );
  assert.ok(carrier.acknowledged() > 0);
  assert.deepEqual([kept?.n, all?.n], [carrier.acknowledged(), carrier.acknowledged()]);
}
