import type { Registry } from "prom-client";
import type { LastSeen } from "../../core/db/driver/database-identity.ts";
import type { Connection } from "../../core/db/driver/hosts.ts";
import type { Member } from "../../core/platform/peers/index.ts";

/** Secrets and connection of an API process. They travel over IPC, which keeps them out of `ps`. */
export interface StartMessage {
  readonly connection: Connection;
  readonly seen: LastSeen;
  readonly rootKey: string;
  readonly operatorToken: string;
  /** This process among its peers; null where peers are not used. */
  readonly member: Member | null;
}

/** The processes that take items of their peers, and the id of each stripe's owner. */
export interface Ownership {
  readonly members: readonly Member[];
  readonly owners: readonly string[];
}

export type ToApiProcess =
  | { readonly type: "start"; readonly start: StartMessage }
  | { readonly type: "stop" }
  /** After each change. */
  | { readonly type: "ownership"; readonly ownership: Ownership }
  /** Requests the metrics of this process. */
  | { readonly type: "report_metrics"; readonly id: number }
  /** Metrics of all processes, for the one that requested them. */
  | { readonly type: "gathered_metrics"; readonly id: number; readonly text: string };

export type FromApiProcess =
  /** Items of each stripe of accounts, in the last second. */
  | { readonly type: "loads"; readonly loads: readonly number[] }
  /** The process listens for messages; earlier ones could be lost. */
  | { readonly type: "awake" }
  | { readonly type: "ready"; readonly url: string }
  | { readonly type: "failed"; readonly line: string }
  | { readonly type: "metrics_report"; readonly id: number; readonly metrics: MetricsReport }
  | { readonly type: "gather_metrics"; readonly id: number };

/** A registry as plain values. */
export type MetricsReport = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;
