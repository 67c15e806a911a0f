import { appendFileSync } from "node:fs";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import type { Wakes } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import { WaitingLine } from "./binds/waiting-line.ts";
import type { Carrier, LinkState, OutboundText, SubmitOutcome } from "./carrier.ts";
import {
  simulatedCarrierCode,
  simulatedHandOver,
  simulatedReceiptDueAt,
} from "./simulated-network.ts";

export interface SimulatorOptions {
  readonly name: string;
  readonly window: number;
  /**
   * A file to which every submit is appended before it is answered: the witness of what left us,
   * independent of the database.
   */
  readonly journal: string | null;
}

/**
 * A carrier that carries live traffic in demos and tests, with the outcomes of the sandbox. Its
 * receipts fall due in the service's time; the lane of simulated receipts brings them.
 */
export function createSimulator(
  options: SimulatorOptions,
  deps: { readonly clock: Clock; readonly ids: Ids; readonly wakes: Pick<Wakes, "wake"> },
): Carrier {
  let free = options.window;
  let isBatchWaiting = false;
  const line = new WaitingLine(deps.clock);

  const submit = (text: OutboundText): SubmitOutcome => {
    const answer = simulatedHandOver(text.to, text.attempt);
    const reference = `sim-${deps.ids.make()}`;
    journal(options.journal, { reference, answer, ...text });
    if (answer === "accept") {
      const receiptDueAtMs = simulatedReceiptDueAt(text.to, deps.clock.now());
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
    line.serve(() => reserve(1) === 1);
    if (!isBatchWaiting || free === 0) return;
    isBatchWaiting = false;
    deps.wakes.wake(LANES.batches);
  };
  return {
    name: options.name,
    isSimulator: true,
    reserve,
    reserveSoon: async () => reserve(1) === 1 || line.join(),
    // It answers at once, and all places are free again as soon as that is written down.
    isFilling() {
      isBatchWaiting = free === 0;
      return isBatchWaiting;
    },
    release,
    submit(text, written) {
      void written.then(() => release(1));
      return Promise.resolve(submit(text));
    },
    state: (): LinkState => ({
      state: "up",
      isHere: true,
      windowFree: free,
      ratePerSecond: null,
      lastError: null,
    }),
    start: async () => {},
    stop: async () => line.close(),
  };
}

function journal(file: string | null, entry: object): void {
  if (file === null) return;
  // Synchronous on purpose: the line is in the kernel's hands before the answer is given, so it
  // survives a kill of this process.
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
}
