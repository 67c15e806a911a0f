/** Result of one check, with its fix. */
export interface Finding {
  readonly check: string;
  readonly level: "ok" | "warning" | "problem";
  readonly detail: string;
}
