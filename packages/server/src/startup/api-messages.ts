import type { ClientConfig } from "pg";

/** What an API process needs and cannot find in its environment. Secrets stay out of `ps`. */
export interface StartMessage {
  readonly connection: ClientConfig;
  readonly rootKey: string;
  readonly operatorToken: string;
}

export type ToApiProcess =
  | { readonly type: "start"; readonly start: StartMessage }
  | { readonly type: "stop" };

export type FromApiProcess =
  /** It listens for messages now; one sent earlier could be lost. */
  | { readonly type: "awake" }
  | { readonly type: "ready"; readonly url: string }
  | { readonly type: "failed"; readonly line: string };
