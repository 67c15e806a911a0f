import { join } from "node:path";
import type { TestContext } from "node:test";
import { STATUSES } from "@longwave/smpp";
import {
  ACCEPTED,
  type Behaviour,
  DELIVERED,
  type ReceivedSubmit,
  Smsc,
} from "@longwave/smpp/smsc";
import { smppEntry } from "../../testing/smpp-stage.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { type KillStage, openStage, type StageOptions } from "./stage.ts";

const RECEIPT_MS = 300;
/** A phone whose messages are accepted without a response; the test sends their receipts. */
export const NEVER_ANSWERED = "+14155559990";

/**
 * An installation that sends over SMPP. The SMSC writes its journal to disk before any response, so the
 * journal is the reference.
 */
export interface SmppKillStage extends KillStage {
  readonly smsc: Smsc;
}

export async function openSmppStage(
  t: TestContext,
  options: StageOptions,
  entry: object = {},
): Promise<SmppKillStage> {
  const folder = await temporaryFolder(t);
  const smsc = await Smsc.start({
    password: "secret",
    behave,
    redeliverMs: 200,
    journal: { file: join(folder, "smsc.ndjson") },
  });
  t.after(() => smsc.stop());
  const carriers = [smppEntry(smsc, { window: options.window, ...entry })];
  const stage = await openStage(t, { carriers, ...options });
  return {
    ...stage,
    smsc,
    resetLines: () => smsc.resetLines(),
    submitCount: async () => smsc.journal.submitCount,
    submits: async () =>
      smsc.journal.submits().map(({ to, text, messageId }) => ({
        messageId: messageId ?? "",
        to: `+${to}`,
        body: text,
        answer: messageId === null ? "temporary" : "accept",
      })),
  };
}

const refuse = (status: number): Behaviour => ({
  ...ACCEPTED,
  answer: "refuse",
  status,
  receipt: null,
});

/** Behaviour for the simulator's special numbers, as a carrier would treat them. */
function behave({ pdu, earlier }: ReceivedSubmit): Behaviour {
  const to = pdu.fields.destination_addr;
  if (to === "15005550002" && earlier === 0) return refuse(STATUSES.ESME_RSYSERR.code);
  if (to === "15005550003") return refuse(STATUSES.ESME_RSYSERR.code);
  if (to === "15005550004") return refuse(STATUSES.ESME_RX_P_APPN.code);
  if (`+${to}` === NEVER_ANSWERED) return { ...ACCEPTED, answer: "none", receipt: null };
  // One in five receipts comes before the submit response.
  const isBeforeAnswer = Number(to.slice(-2)) % 5 === 0;
  return {
    ...ACCEPTED,
    receipt: { ...DELIVERED, delayMs: RECEIPT_MS, isBeforeAnswer, echoesReference: false },
  };
}
