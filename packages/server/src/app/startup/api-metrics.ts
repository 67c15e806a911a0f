import { AggregatorRegistry, type Registry } from "prom-client";
import type { Clock } from "../../core/platform/clock.ts";
import type { FromApiProcess, MetricsReport, ToApiProcess } from "./api-messages.ts";

/** A process that does not answer in this time is left out. */
const ANSWER_MS_MAX = 2_000;
const ASKED_MAX = 1_000;

/** Requests and replies over IPC, matched by number. A request without a timely reply resolves to null. */
interface Questions<T> {
  ask(send: (id: number) => void): Promise<T | null>;
  answer(id: number, value: T): void;
}

function createQuestions<T>(clock: Clock): Questions<T> {
  const open = new Map<number, (value: T) => void>();
  let last = 0;
  return {
    async ask(send) {
      if (open.size >= ASKED_MAX) return null;
      last += 1;
      const id = last;
      const answered = new AbortController();
      let answer: T | null = null;
      open.set(id, (value) => {
        answer = value;
        answered.abort();
      });
      send(id);
      await clock.sleep(ANSWER_MS_MAX, answered.signal);
      open.delete(id);
      return answer;
    },
    answer: (id, value) => open.get(id)?.(value),
  };
}

/** Primary: gathers the metrics of every API process and adds its own. */
export interface MetricsGatherer {
  /** Metrics of all processes on this machine, in the text format. */
  text(): Promise<string>;
  /** Handles a message of an API process, if it concerns metrics. */
  handle(message: FromApiProcess, reply: (message: ToApiProcess) => void): void;
}

export function createMetricsGatherer(
  clock: Clock,
  own: Registry,
  everyProcess: () => readonly ((message: ToApiProcess) => void)[],
): MetricsGatherer {
  const questions = createQuestions<MetricsReport>(clock);
  const text = async () => {
    const reports = await Promise.all(
      everyProcess().map((send) => questions.ask((id) => send({ type: "report_metrics", id }))),
    );
    const known = [await own.getMetricsAsJSON(), ...reports].filter((report) => report !== null);
    return AggregatorRegistry.aggregate(known).metrics();
  };
  return {
    text,
    handle(message, reply) {
      if (message.type === "metrics_report") questions.answer(message.id, message.metrics);
      else if (message.type === "gather_metrics") {
        void text().then((gathered) =>
          reply({ type: "gathered_metrics", id: message.id, text: gathered }),
        );
      }
    },
  };
}

/** API process: reports its metrics, and requests the total from the primary. */
export interface MetricsReporter {
  text(): Promise<string>;
  handle(message: ToApiProcess): void;
}

export function createMetricsReporter(
  clock: Clock,
  own: Registry,
  send: (message: FromApiProcess) => void,
): MetricsReporter {
  const questions = createQuestions<string>(clock);
  return {
    text: async () =>
      (await questions.ask((id) => send({ type: "gather_metrics", id }))) ?? own.metrics(),
    handle(message) {
      if (message.type === "gathered_metrics") questions.answer(message.id, message.text);
      else if (message.type === "report_metrics") {
        void own
          .getMetricsAsJSON()
          .then((metrics) => send({ type: "metrics_report", id: message.id, metrics }));
      }
    },
  };
}
