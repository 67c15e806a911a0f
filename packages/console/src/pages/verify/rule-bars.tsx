import type { VerificationRuleSeen } from "@longwave/sdk";
import { formatCount } from "../../ui/format.ts";
import { ruleWords } from "./rules.ts";

/** Each rule as a bar against its threshold; red once past it. */
export function RuleBars(props: { rules: readonly VerificationRuleSeen[] }) {
  return (
    <ul className="bars">
      {props.rules.map((rule) => {
        const isPast = rule.count > rule.threshold;
        const share = rule.threshold === 0 ? (rule.count > 0 ? 1 : 0) : rule.count / rule.threshold;
        return (
          <li key={rule.rule} className="bars-row">
            <span>{ruleWords(rule.rule)}</span>
            <span className="tabular muted">
              {formatCount(rule.count)} of {formatCount(rule.threshold)}
            </span>
            <div className="bars-track" aria-hidden="true">
              <span
                style={{
                  width: `${Math.min(100, share * 100)}%`,
                  background: `var(${isPast ? "--c-failed" : "--c-sent"})`,
                }}
              />
            </div>
          </li>
        );
      })}
    </ul>
  );
}
