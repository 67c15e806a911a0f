import { Counter, Gauge } from "prom-client";
import type { Base } from "../../core/base.ts";
import { createHistogram } from "../../core/platform/histogram.ts";
import type { Carrier, CarrierSink, SubmitOutcome } from "./carrier.ts";
import type { CarrierTraffic } from "./traffic.ts";

const ANSWER_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const BIND_STATES = ["up", "connecting", "down"] as const;
const OUTCOMES = ["accepted", "deferred", "refused", "unknown", "not_sent"] as const;
const RECEIPT_STATES = ["delivered", "failed", "intermediate"] as const;
/** Messages without a single receipt after which the carrier is suspected not to send receipts. */
const MESSAGES_WITHOUT_RECEIPT_MAX = 1_000;

/** Counts traffic per carrier. Cardinality is bounded by the carriers file. */
export interface CarrierMeters {
  /** Wraps a carrier so that its traffic is counted. */
  metered(carrier: Carrier): Carrier;
}

export function createCarrierMeters(
  deps: Pick<Base, "metrics" | "clock" | "log">,
  carriers: () => readonly Carrier[],
  traffic: CarrierTraffic,
): CarrierMeters {
  const { registry } = deps.metrics;
  const registers = [registry];
  watchLinks(deps, carriers);
  const submits = new Counter({
    name: "longwave_carrier_submits_total",
    help: "Texts given to a carrier, by what came of it.",
    labelNames: ["carrier", "outcome"],
    registers,
  });
  const receipts = new Counter({
    name: "longwave_carrier_receipts_total",
    help: "Receipts that a carrier brought.",
    labelNames: ["carrier", "state"],
    registers,
  });
  const inbound = new Counter({
    name: "longwave_carrier_inbound_total",
    help: "Texts from phones, or parts of them, that a carrier brought.",
    labelNames: ["carrier"],
    registers,
  });
  const answers = createHistogram(registry, {
    name: "longwave_carrier_answer_seconds",
    help: "Time from giving a text to a carrier to its answer.",
    buckets: ANSWER_BUCKETS_SECONDS,
  });
  const seriesOf = (carrier: string) => ({
    submits: new Map(OUTCOMES.map((outcome) => [outcome, submits.labels(carrier, outcome)])),
    receipts: new Map(RECEIPT_STATES.map((state) => [state, receipts.labels(carrier, state)])),
    inbound: inbound.labels(carrier),
    answer: answers({ carrier }),
  });
  const known = new Map<string, ReturnType<typeof seriesOf>>();
  return {
    metered(carrier) {
      const series = known.get(carrier.name) ?? seriesOf(carrier.name);
      known.set(carrier.name, series);
      let silent = 0;
      const counted = (sink: CarrierSink): CarrierSink => ({
        receipt(receipt) {
          silent = 0;
          series.receipts.get(receipt.state)?.inc();
          if (receipt.state !== "intermediate") traffic.receipt(carrier.name);
          return sink.receipt(receipt);
        },
        inbound(message) {
          series.inbound.inc();
          return sink.inbound(message);
        },
        unanswered: (name) => sink.unanswered(name),
      });
      const noteSilence = () => {
        silent += 1;
        if (silent !== MESSAGES_WITHOUT_RECEIPT_MAX || carrier.isSimulator) return;
        deps.log.warn(
          { carrier: carrier.name, messages: silent },
          "carriers: no receipts for many messages; ask the carrier whether receipts are switched on",
        );
      };
      return {
        name: carrier.name,
        reserve: (count, requestedBy) => carrier.reserve(count, requestedBy),
        reserveSoon: () => carrier.reserveSoon(),
        isFilling: () => carrier.isFilling(),
        release: (count) => carrier.release(count),
        async submit(message, written) {
          const startedMs = deps.clock.monotonic();
          const outcome = await carrier.submit(message, written);
          series.answer((deps.clock.monotonic() - startedMs) / 1_000);
          series.submits.get(outcomeName(outcome))?.inc();
          if (outcome.kind === "accepted") {
            noteSilence();
            traffic.accepted(carrier.name, receiptsOf(outcome));
          }
          return outcome;
        },
        state: () => carrier.state(),
        ...optionalParts(carrier),
        start: (sink) => carrier.start(counted(sink)),
        stop: () => carrier.stop(),
      };
    },
  };
}

/**
 * Receipts expected for a message: one per part. Simulated receipts come another way and do not
 * count.
 */
function receiptsOf(outcome: Extract<SubmitOutcome, { kind: "accepted" }>): number {
  return outcome.receiptDueAtMs === undefined ? outcome.references.length : 0;
}

function outcomeName(outcome: SubmitOutcome): (typeof OUTCOMES)[number] {
  if (outcome.kind !== "refused") return outcome.kind;
  return outcome.isTemporary ? "deferred" : "refused";
}

/**
 * Gauges of this process. Each bind has one owner, so the sum over processes is the installation's.
 */
function watchLinks(deps: Pick<Base, "metrics">, carriers: () => readonly Carrier[]): void {
  const registers = [deps.metrics.registry];
  new Gauge({
    name: "longwave_carrier_binds",
    help: "Binds that this process keeps, by their state.",
    labelNames: ["carrier", "state"],
    registers,
    collect() {
      this.reset();
      for (const { name, bindStates } of carriers()) {
        const states = [...(bindStates?.().values() ?? [])].map((bind) => bind.state);
        for (const state of BIND_STATES) {
          this.set({ carrier: name, state }, states.filter((one) => one === state).length);
        }
      }
    },
  });
  new Gauge({
    name: "longwave_carrier_in_flight",
    help: "Submits of this process that have no answer yet.",
    labelNames: ["carrier"],
    registers,
    collect() {
      this.reset();
      for (const { name, bindStates } of carriers()) {
        const binds = [...(bindStates?.().values() ?? [])];
        const inFlight = binds.reduce((sum, bind) => sum + bind.inFlight, 0);
        this.set({ carrier: name }, inFlight);
      }
    },
  });
}

/** Parts that only some carriers have. */
function optionalParts(
  carrier: Carrier,
): Pick<Carrier, "isSimulator" | "callbacks" | "readerOf" | "bindStates"> {
  return {
    ...(carrier.isSimulator ? { isSimulator: true } : {}),
    ...(carrier.callbacks ? { callbacks: carrier.callbacks } : {}),
    readerOf: (kind) => carrier.readerOf?.(kind) ?? null,
    ...(carrier.bindStates ? { bindStates: () => carrier.bindStates?.() ?? new Map() } : {}),
  };
}
