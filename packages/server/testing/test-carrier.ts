import type {
  Carrier,
  CarrierSink,
  OutboundMessage,
  SubmitOutcome,
} from "../src/network/carriers/index.ts";
import type { Carriers } from "../src/network/carriers/routing.ts";

/** A carrier whose responses a test scripts, with the messages it received. */
export interface TestCarrier extends Carriers {
  readonly submitted: OutboundMessage[];
  /** Responses to the next submits; the last one repeats. */
  answers: ((text: OutboundMessage) => SubmitOutcome | Promise<SubmitOutcome>)[];
  sink(): CarrierSink;
  window: number;
}

const NOBODY = { isAllBut: false, numbers: [] };
let references = 0;

export function accepted(): SubmitOutcome {
  references += 1;
  return { kind: "accepted", references: [`ref-${references}`] };
}

export function createTestCarrier(name = "test-link"): TestCarrier {
  const submitted: OutboundMessage[] = [];
  let sink: CarrierSink | null = null;
  const carrier: Carrier = {
    name,
    reserve(count) {
      const taken = Math.min(count, made.window);
      made.window -= taken;
      return taken;
    },
    reserveSoon: async () => carrier.reserve(1, "single") === 1,
    isFilling: () => false,
    release(count) {
      made.window += count;
    },
    async submit(text, written) {
      submitted.push(text);
      const [answer] = made.answers.length > 1 ? made.answers.splice(0, 1) : made.answers;
      try {
        return answer ? await answer(text) : accepted();
      } finally {
        void written.then(() => {
          made.window += 1;
        });
      }
    },
    state: () => ({
      state: "up",
      isHere: true,
      windowFree: made.window,
      isThrottled: false,
      ratePerSecond: null,
      lastError: null,
    }),
    start: async (given) => {
      sink = given;
    },
    stop: async () => {},
  };
  const made: TestCarrier = {
    submitted,
    answers: [],
    window: 100,
    sink: () => {
      if (!sink) throw new Error("The carrier was not started.");
      return sink;
    },
    serves: () => true,
    isReady: () => true,
    hasOther: () => false,
    carries: () => true,
    reserve: () => (carrier.reserve(1, "single") === 1 ? carrier : null),
    reserveSoon: async () => ((await carrier.reserveSoon()) ? carrier : null),
    ratePerSecond: () => null,
    remoteNumbers: () => NOBODY,
    deferredNumbers: () => NOBODY,
    unserved: () => NOBODY,
    downNumbers: () => NOBODY,
    links: () => [
      {
        carrier,
        config: {
          ...{ name, type: "simulator", numbers: "*", destinations: "*", priority: 10 },
          ...{ window: 100, journal: null },
        },
      },
    ],
    reload: async () => ({ added: [], changed: [], removed: [], unchanged: [name] }),
    all: () => [carrier],
    start: (given) => carrier.start(given),
    stop: () => carrier.stop(),
  };
  return made;
}
