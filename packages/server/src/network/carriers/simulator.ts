import { appendFileSync } from "node:fs";
import type { Clock } from "../../core/platform/clock.ts";
import type { Ids } from "../../core/platform/ids.ts";
import type { Wakes } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { SlotQueue } from "./binds/slot-queue.ts";
import type { Carrier, LinkState, OutboundMessage, SubmitOutcome } from "./carrier.ts";
import {
  simulatedCarrierCode,
  simulatedReceiptDueAt,
  simulatedSubmit,
} from "./simulated-network.ts";

export interface SimulatorOptions {
  readonly name: string;
  readonly window: number;
  /**
   * File to which every submit is appended before its answer: a record of sent messages outside the
   * database.
   */
  readonly journal: string | null;
}

/**
 * Carrier for live traffic in demos and tests, with the outcomes of the sandbox. Receipts fall due
 * in the service's time; the simulated-receipts lane applies them.
 */
export function createSimulator(
  options: SimulatorOptions,
  deps: { readonly clock: Clock; readonly ids: Ids; readonly wakes: Pick<Wakes, "wake"> },
): Carrier {
  let free = options.window;
  let isBatchWaiting = false;
  const queue = new SlotQueue(deps.clock);

  const submit = (message: OutboundMessage): SubmitOutcome => {
    const answer = simulatedSubmit(message.to, message.attempt);
    const reference = `sim-${deps.ids.make()}`;
    journal(options.journal, { reference, answer, ...message });
    if (answer === "accept") {
      const receiptDueAtMs = simulatedReceiptDueAt(message.to, deps.clock.now());
      return { kind: "accepted", references: [reference], receiptDueAtMs };
    }
    const isTemporary = answer === "temporary";
    const code = simulatedCarrierCode(isTemporary ? "temporary" : "carrier_rejected");
    return { kind: "refused", isTemporary, carrierCode: code };
  };
  const reserve = (count: number): number => {
    const taken = Math.min(count, free);
    free -= taken;
    return taken;
  };
  const release = (count: number) => {
    free += count;
    queue.serve(() => reserve(1) === 1);
    if (!isBatchWaiting || free === 0) return;
    isBatchWaiting = false;
    deps.wakes.wake(LANES.batches);
  };
  return {
    name: options.name,
    isSimulator: true,
    reserve,
    reserveSoon: async () => reserve(1) === 1 || queue.join(),
    // The simulator answers immediately, so all slots are free again once the outcomes are stored.
    isFilling() {
      isBatchWaiting = free === 0;
      return isBatchWaiting;
    },
    release,
    submit(message, written) {
      void written.then(() => release(1));
      return Promise.resolve(submit(message));
    },
    state: (): LinkState => ({
      state: "up",
      isHere: true,
      windowFree: free,
      isThrottled: false,
      ratePerSecond: null,
      lastError: null,
    }),
    start: async () => {},
    stop: async () => queue.close(),
  };
}

function journal(file: string | null, entry: object): void {
  if (file === null) return;
  // Synchronous on purpose: the kernel has the line before the answer, so it survives a kill of
  // this process.
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
}
