import type { VerificationRuleSeen } from "@longwave/sdk";
import { formatCount } from "../../ui/format.ts";
import { ruleWords } from "./rules.ts";

/** A rule without a threshold counts nothing: it applies or it does not. */
function countWords({ count, threshold }: VerificationRuleSeen): string {
  if (threshold === 0) return count === 0 ? "Does not apply" : "Applies";
  return `${formatCount(count)} of ${formatCount(threshold)}`;
}

/**
 * Each rule's count as a bar against its threshold; red once exceeded, with a mark at the
 * threshold.
 */
export function RuleBars(props: { rules: readonly VerificationRuleSeen[] }) {
  return (
    <ul className="bars">
      {props.rules.map((rule) => {
        const isPast = rule.count > rule.threshold;
        // The larger of count and threshold fills the track, so that an excess is visible.
        const whole = Math.max(rule.count, rule.threshold, 1);
        const percentOf = (value: number) => `${(value / whole) * 100}%`;
        return (
          <li key={rule.rule} className="bars-row">
            <span>{ruleWords(rule.rule)}</span>
            <span className="tabular muted">{countWords(rule)}</span>
            <div className="bars-track" aria-hidden="true">
              <span
                style={{
                  width: percentOf(rule.count),
                  background: `var(${isPast ? "--c-failed" : "--c-sent"})`,
                }}
              />
              {isPast && <i style={{ left: percentOf(rule.threshold) }} />}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
