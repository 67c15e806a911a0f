import { Copy } from "../../ui/copy.tsx";
import { plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import type { Tone } from "../../ui/looks.ts";
import { guidanceWords } from "../../ui/plain-words.ts";
import { Badge } from "../../ui/status.tsx";
import { AREA_WORDS, areasOf, type Finding } from "./findings.ts";

const LEVELS: Readonly<
  Record<Finding["level"], { tone: Tone; icon: "x" | "alert" | "check"; word: string }>
> = {
  fail: { tone: "red", icon: "x", word: "Fails" },
  warn: { tone: "amber", icon: "alert", word: "Warning" },
  pass: { tone: "green", icon: "check", word: "Passes" },
};

/** Findings grouped by source, each with the quoted evidence. */
export function FindingList(props: { findings: readonly Finding[]; fresh?: ReadonlySet<string> }) {
  const areas = areasOf(props.findings);
  return (
    <div className="stack-wide">
      {areas.map((area) => {
        const here = props.findings.filter((each) => each.area === area);
        const complaints = here.filter((each) => each.level !== "pass");
        const passes = here.filter((each) => each.level === "pass");
        return (
          <section key={area} className="stack">
            <h3 className="finding-area">
              {AREA_WORDS[area]}
              <span className="meta">
                {complaints.length === 0 ? "Passed" : plural(complaints.length, "issue")}
              </span>
            </h3>
            {complaints.map((each) => (
              <FindingCard
                key={`${each.code}${each.sample ?? ""}`}
                finding={each}
                isFresh={props.fresh?.has(each.code) === true}
              />
            ))}
            {passes.length > 0 && (
              <details className="passes">
                <summary>
                  {passes.length === 1 ? "1 rule passes" : `${passes.length} rules pass`}
                </summary>
                <ul className="stack-tight">
                  {passes.map((each) => (
                    <li key={`${each.code}${each.sample ?? ""}`} className="row">
                      <Badge {...LEVELS.pass} />
                      <span>{each.title}</span>
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </section>
        );
      })}
    </div>
  );
}

function FindingCard(props: { finding: Finding; isFresh: boolean }) {
  const { finding } = props;
  return (
    <article className="finding" data-tone={LEVELS[finding.level].tone}>
      <div className="finding-said stack-tight">
        <div className="row">
          <Badge {...LEVELS[finding.level]} />
          <b>{finding.title}</b>
          {finding.sample !== null && <span className="chip">example {finding.sample}</span>}
          {props.isFresh && <span className="chip">new</span>}
        </div>
        <p>{guidanceWords(finding.detail)}</p>
        {finding.fix !== null && (
          <p className="row-top">
            <Icon name="check" size={14} />
            <span>
              <b>To do:</b> {guidanceWords(finding.fix)}
            </span>
          </p>
        )}
      </div>
      <div className="finding-read">
        {finding.excerpt !== null && <blockquote>{finding.excerpt}</blockquote>}
        {finding.url !== null && (
          <Copy text={finding.url}>
            <span className="meta cut">{finding.url}</span>
          </Copy>
        )}
      </div>
    </article>
  );
}
