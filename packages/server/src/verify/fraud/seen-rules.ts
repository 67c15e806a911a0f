import type { SeenRule, VerificationRule } from "@longwave/contract";

/** What the rules saw, as a decision keeps it: `rule count threshold`, one after the other. */
export function writeSeen(rules: readonly SeenRule[]): string {
  return rules.map(({ rule, count, threshold }) => `${rule} ${count} ${threshold}`).join(",");
}

export function readSeen(seen: string): SeenRule[] {
  if (seen === "") return [];
  return seen.split(",").map((one) => {
    const [rule, count, threshold] = one.split(" ");
    return { rule: rule as VerificationRule, count: Number(count), threshold: Number(threshold) };
  });
}
