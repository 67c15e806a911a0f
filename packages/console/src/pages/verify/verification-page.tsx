import { useParams } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useContactName } from "../../api/names.ts";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Json } from "../../ui/code.tsx";
import { Id } from "../../ui/copy.tsx";
import { formatPhone } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { Status } from "../../ui/status.tsx";
import { Phone, Time } from "../../ui/values.tsx";
import { RuleBars } from "./rule-bars.tsx";

export function VerificationPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { base } = useAccount();
  const verification = useRead(["verification", id], (api, signal) =>
    api.verify.get(id, { signal }),
  );
  const phone = verification.data?.phone ?? "";
  const name = useContactName(phone);
  return (
    <Page
      title={phone ? `Code for ${name ?? formatPhone(phone)}` : "Verification"}
      crumb={{ to: `${base}/verify`, label: "Verify" }}
      actions={
        phone && (
          <ButtonLink to={`${base}/conversations/${phone}`} icon="chats">
            Conversation
          </ButtonLink>
        )
      }
    >
      <Loaded query={verification}>
        {(value) => (
          <div className="columns">
            <div className="stack-wide">
              {value.decision && (
                <Card title="Fraud protection">
                  <RuleBars rules={value.decision.rules} />
                </Card>
              )}
              <Json value={value} title="Verification" />
            </div>
            <Card title="Details">
              <Facts
                facts={[
                  { name: "Status", value: <Status machine="verification" state={value.status} /> },
                  { name: "Id", value: <Id value={value.id} /> },
                  { name: "Phone", value: <Phone value={value.phone} /> },
                  { name: "Name in the text", value: value.app_name ?? "–" },
                  { name: "Tries", value: `${value.attempts} of ${value.max_attempts}` },
                  { name: "Billed", value: value.charged ? "Yes" : "No" },
                  { name: "Started", value: <Time at={value.created_at} /> },
                  { name: "Expires", value: <Time at={value.expires_at} /> },
                  { name: "Approved", value: <Time at={value.approved_at} /> },
                ]}
              />
            </Card>
          </div>
        )}
      </Loaded>
    </Page>
  );
}
