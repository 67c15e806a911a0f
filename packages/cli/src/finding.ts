/** What was looked at, and how to mend it. */
export interface Finding {
  readonly check: string;
  readonly level: "ok" | "warning" | "problem";
  readonly detail: string;
}
