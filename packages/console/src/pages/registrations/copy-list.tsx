import type { Registration } from "@longwave/sdk";
import { Copy } from "../../ui/copy.tsx";
import { Card, Facts } from "../../ui/page.tsx";
import { READY_MADE_TITLES } from "../../ui/plain-words.ts";
import { Note } from "../../ui/problem.tsx";

/** Generated copy to publish and to file. */
export function CopyList(props: { generated: Registration["generated"] }) {
  const { generated } = props;
  const texts = (Object.keys(READY_MADE_TITLES) as (keyof typeof READY_MADE_TITLES)[]).map(
    (field) => [READY_MADE_TITLES[field], generated[field]] as const,
  );
  const { campaign } = generated;
  return (
    <div className="stack-wide">
      <p className="muted">
        Written from what you gave. Put it online as it stands, then check again.
      </p>
      {generated.brand.missing.length > 0 && (
        <Note tone="amber">
          The registry will also ask for: {generated.brand.missing.join(", ").replaceAll("_", " ")}.
        </Note>
      )}
      <div className="halves">
        {texts.map(([title, text]) => (
          <Card
            key={title}
            title={title}
            aside={
              <Copy text={text} label={title}>
                <span className="meta">Copy</span>
              </Copy>
            }
          >
            <p className="copy-text">{text}</p>
          </Card>
        ))}
      </div>
      <Card title="Submission">
        <Facts
          facts={[
            { name: "Description", value: campaign.description },
            { name: "How people opt in", value: campaign.message_flow },
            { name: "Opt-out words", value: campaign.opt_out_keywords.join(", ") },
            { name: "Help words", value: campaign.help_keywords.join(", ") },
            { name: "Opt-in words", value: campaign.opt_in_keywords.join(", ") },
            { name: "Links in texts", value: campaign.embedded_link ? "Yes" : "No" },
            { name: "Phones in texts", value: campaign.embedded_phone ? "Yes" : "No" },
            { name: "Privacy policy", value: campaign.privacy_policy_url ?? "–" },
            { name: "Terms", value: campaign.terms_url ?? "–" },
          ]}
        />
      </Card>
    </div>
  );
}
