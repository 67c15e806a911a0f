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
import { temporaryFolder } from "../../testing/program.ts";
import { smppEntry } from "../../testing/smpp-stage.ts";
import { type KillStage, openStage, type StageOptions } from "./stage.ts";

const RECEIPT_MS = 300;
/** A phone whose texts are taken without a word; receipts are for the test to send. */
export const NEVER_ANSWERED = "+14155559990";

/** An installation whose texts leave over SMPP: the SMSC's journal, on disk before any answer, is the witness. */
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

/** The special numbers of the simulated network, as a carrier would treat them. */
function behave({ pdu, earlier }: ReceivedSubmit): Behaviour {
  const to = pdu.fields.destination_addr;
  if (to === "15005550002" && earlier === 0) return refuse(STATUSES.ESME_RSYSERR.code);
  if (to === "15005550003") return refuse(STATUSES.ESME_RSYSERR.code);
  if (to === "15005550004") return refuse(STATUSES.ESME_RX_P_APPN.code);
  if (`+${to}` === NEVER_ANSWERED) return { ...ACCEPTED, answer: "none", receipt: null };
  // One in five comes before the answer that names its text.
  const isBeforeAnswer = Number(to.slice(-2)) % 5 === 0;
  return {
    ...ACCEPTED,
    receipt: { ...DELIVERED, delayMs: RECEIPT_MS, isBeforeAnswer, echoesReference: false },
  };
}
