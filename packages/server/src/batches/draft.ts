import {
  type FailureCode,
  mergeTemplate,
  Problem,
  parseTemplate,
  type Template,
} from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import type { Carrier } from "../carriers/index.ts";
import {
  checkLiveSender,
  draftLive,
  draftSimulated,
  leavesForReal,
  type NewMessage,
  type Wanted,
} from "../handover/index.ts";
import { findSender, type Sender } from "../numbers/index.ts";
import type { BatchRow, RecipientRow } from "./batch-row.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import { type Outcome, refused } from "./outcome.ts";

/** A message about to be written for a recipient. */
export interface Draft {
  readonly index: number;
  readonly item: NewMessage;
  /** The link whose place it goes into, if it is handed over at once. */
  readonly carrier: Carrier | null;
}

/** Draws up the messages of one turn, a stretch of recipients at a time. */
export interface Drafter {
  /**
   * The message of each recipient, through the same checks as a single text. Recipients that fail
   * a check without any message are in `outcomes` already.
   */
  draft(rows: readonly RecipientRow[]): Promise<{ drafts: Draft[]; outcomes: Outcome[] }>;
  /** Gives back the places of links that no draft went into. */
  giveBackUnused(): void;
}

export async function createDrafter(
  deps: Deps,
  batch: BatchRow,
  account: AccountRow,
  reserved: Carrier[],
): Promise<Drafter> {
  const places = [...reserved];
  const sender = await findSender(deps, account, batch.from_number);
  const template = templateOf(batch.body);
  return {
    async draft(rows) {
      const outcomes: Outcome[] = [];
      const drafts: Draft[] = [];
      for (const row of rows) {
        const wanted = wantedOf(batch, account, template, row);
        const failure = await failureOf(deps, wanted, sender);
        if (failure) outcomes.push(refused(row.index, failure));
        else drafts.push(await draftOf(deps, wanted, row.index, places, reserved));
      }
      return { drafts, outcomes };
    },
    giveBackUnused() {
      for (const unused of places.splice(0)) giveBack(reserved, unused);
    },
  };
}

/** What keeps a recipient from getting a text at all, consent, money and quota apart. */
async function failureOf(
  deps: Deps,
  wanted: Wanted,
  sender: Sender | null,
): Promise<FailureCode | null> {
  if (sender === null || sender.unpaid || sender.mode !== wanted.mode) return "sender_unavailable";
  if (wanted.mode === "test") return null;
  try {
    await checkLiveSender(deps, wanted.account, sender, wanted.to);
    return null;
  } catch (error) {
    if (error instanceof Problem) return "sender_not_registered";
    throw error;
  }
}

async function draftOf(
  deps: Deps,
  wanted: Wanted,
  index: number,
  places: Carrier[],
  reserved: Carrier[],
): Promise<Draft> {
  if (wanted.mode === "test" && !(await leavesForReal(deps, wanted))) {
    return { index, item: draftSimulated(deps, wanted), carrier: null };
  }
  const isFree = wanted.mode === "test";
  const carrier = isFree ? deps.carriers.reserve(wanted.from) : (places.pop() ?? null);
  // A turn of a sandbox batch takes no places beforehand: few of its texts leave, if any.
  if (carrier && isFree) reserved.push(carrier);
  return { index, item: draftLive(deps, wanted, carrier?.name ?? null, isFree), carrier };
}

/** Gives back one place of a link that was not used. */
export function giveBack(reserved: Carrier[], carrier: Carrier): void {
  reserved.splice(reserved.indexOf(carrier), 1);
  carrier.release(1);
}

function wantedOf(
  batch: BatchRow,
  account: AccountRow,
  template: Template,
  row: RecipientRow,
): Wanted {
  const merged = mergeTemplate(template, row.variables ?? {});
  if (!merged.ok) throw new Error(`Recipient ${row.index} of ${batch.id} lacks ${merged.missing}.`);
  return {
    account,
    mode: batch.mode,
    from: batch.from_number,
    to: row.to_number,
    body: merged.text,
    customerId: batch.customer_id,
    poolId: null,
    batchId: batch.id,
    batchIndex: row.index,
  };
}

function templateOf(body: string): Template {
  const parsed = parseTemplate(body);
  if (!parsed.ok) throw new Error(`A stored body cannot be read: ${parsed.reason}`);
  return parsed.template;
}
