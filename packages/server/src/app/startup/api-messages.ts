import type { Registry } from "prom-client";
import type { LastSeen } from "../../core/db/driver/database-identity.ts";
import type { Connection } from "../../core/db/driver/hosts.ts";

/** What an API process needs and cannot find in its environment. Secrets stay out of `ps`. */
export interface StartMessage {
  readonly connection: Connection;
  readonly seen: LastSeen;
  readonly rootKey: string;
  readonly operatorToken: string;
}

export type ToApiProcess =
  | { readonly type: "start"; readonly start: StartMessage }
  | { readonly type: "stop" }
  /** Asks for what the process counted. */
  | { readonly type: "report_metrics"; readonly id: number }
  /** What all processes counted, for the one that asked. */
  | { readonly type: "gathered_metrics"; readonly id: number; readonly text: string };

export type FromApiProcess =
  /** It listens for messages now; one sent earlier could be lost. */
  | { readonly type: "awake" }
  | { readonly type: "ready"; readonly url: string }
  | { readonly type: "failed"; readonly line: string }
  | { readonly type: "metrics_report"; readonly id: number; readonly metrics: MetricsReport }
  | { readonly type: "gather_metrics"; readonly id: number };

/** A registry as plain values. */
export type MetricsReport = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;
