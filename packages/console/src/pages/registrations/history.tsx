import { isRegistrationCode, registrationCodeSpec } from "@longwave/contract/tables";
import type { Registration } from "@longwave/sdk";
import { lookOf } from "../../ui/looks.ts";
import { Card } from "../../ui/page.tsx";
import { Timeline } from "../../ui/timeline.tsx";
import { historyActorWords } from "./words.ts";

/** Title of a reason; a code that this console does not know yet stays as it is. */
function reasonWords(code: string | null): string {
  if (code === null) return "";
  return isRegistrationCode(code) ? `${registrationCodeSpec(code).title}.` : code;
}

/** Actions on the registration with their actors, oldest first. */
export function RegistrationHistory(props: { history: Registration["history"] }) {
  return (
    <Card title="History">
      <Timeline
        moments={props.history.map((entry, index) => {
          const look = lookOf("registration", entry.status);
          return {
            key: `${entry.at} ${index}`,
            at: entry.at,
            tone: look.tone,
            icon: look.icon,
            title: (
              <>
                {entry.label} <span className="muted">by {historyActorWords(entry.actor)}</span>
              </>
            ),
            detail: (entry.reason_code !== null || entry.note !== null) && (
              <span className="meta">
                {reasonWords(entry.reason_code)} {entry.note}
              </span>
            ),
          };
        })}
      />
    </Card>
  );
}
