import { normalizePhone } from "@longwave/contract";
import type { CarrierSink, InboxSink } from "./carrier.ts";
import type { CarrierConfig } from "./config.ts";

/**
 * Sink of one carrier. Inbound messages for numbers that the carrier does not serve are stored as
 * unowned. Receipts are matched by the carrier of the attempt.
 */
export function sinkFor({ numbers }: Pick<CarrierConfig, "numbers">, sink: InboxSink): CarrierSink {
  if (numbers === "*") return sink;
  const served = new Set(numbers);
  return {
    receipt: (receipt) => sink.receipt(receipt),
    inbound: (message) => {
      const to = normalizePhone(message.to);
      return to !== null && served.has(to) ? sink.inbound(message) : sink.unowned(message);
    },
    unanswered: (carrier) => sink.unanswered(carrier),
  };
}
