import type { VerificationRuleSeen } from "@longwave/sdk";
import { formatCount } from "../../ui/format.ts";
import { ruleWords } from "./rules.ts";

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
            <span className="tabular muted">
              {formatCount(rule.count)} of {formatCount(rule.threshold)}
            </span>
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
