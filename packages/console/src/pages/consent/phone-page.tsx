import { type ConsentEntry, type ConsentHistory, NotFoundError } from "@longwave/sdk";
import { useParams } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useContactName } from "../../api/names.ts";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Empty } from "../../ui/empty.tsx";
import { saveFile } from "../../ui/files.ts";
import { formatPhone } from "../../ui/format.ts";
import { lookOf } from "../../ui/looks.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { Timeline, type TimelineItem } from "../../ui/timeline.tsx";
import { Time } from "../../ui/values.tsx";
import { useCustomerNames } from "../customers/use-customer-names.ts";
import { Evidence } from "./evidence.tsx";
import { BASIS_WORDS, sourceWords } from "./words.ts";

/** Downloads a proof that anybody can verify without the service. */
export function useConsentProof(phone: string) {
  return useAct((_: undefined, { api }) => api.consent.proof(phone), {
    onDone: (value) =>
      saveFile(`consent-proof-${phone}.json`, "application/json", JSON.stringify(value, null, 2)),
  });
}

export function ConsentPhonePage() {
  const { phone } = useParams({ strict: false }) as { phone: string };
  const { base } = useAccount();
  const consent = useRead(["consent", phone], (api, signal) =>
    api.consent.get(phone, {}, { signal }),
  );
  const proof = useConsentProof(phone);
  const name = useContactName(phone);
  const isUnknown = consent.error instanceof NotFoundError;
  return (
    <Page
      title={`Consent of ${name ?? formatPhone(phone)}`}
      {...(name ? { about: formatPhone(phone) } : {})}
      crumb={{ to: `${base}/consent`, label: "Consent" }}
      actions={
        <>
          <ButtonLink to={`${base}/conversations/${phone}`} icon="chats">
            Conversation
          </ButtonLink>
          <Button
            kind="primary"
            icon="download"
            disabled={isUnknown}
            busy={proof.isPending}
            onClick={() => proof.mutate(undefined)}
          >
            Download the proof
          </Button>
        </>
      }
    >
      {proof.error ? <ErrorBox error={proof.error} /> : null}
      {isUnknown ? (
        <Card>
          <Empty icon="consent" title="Nothing is recorded of this phone">
            It has neither opted in nor out, so there is nothing to prove.
          </Empty>
        </Card>
      ) : (
        <Loaded query={consent}>{(value) => <History consent={value} />}</Loaded>
      )}
    </Page>
  );
}

/** Consent of a phone: its state, and each change with time and source. */
function History(props: { consent: ConsentHistory }) {
  const { consent } = props;
  const nameOf = useCustomerNames();
  return (
    <div className="columns">
      <Card title="History">
        <ConsentTimeline consent={consent} />
      </Card>
      <Card title="As it stands">
        <div className="stack">
          <Facts
            facts={[
              { name: "State", value: <Status machine="consent" state={consent.status} /> },
              {
                name: "Source",
                value: consent.source === null ? "–" : sourceWords(consent.source),
              },
              consent.basis === null ? null : { name: "Basis", value: BASIS_WORDS[consent.basis] },
              { name: "Since", value: <Time at={consent.updated_at} /> },
              consent.expires_at === null
                ? null
                : { name: "Ends", value: <Time at={consent.expires_at} /> },
            ]}
          />
          {consent.states.length > 1 && (
            <Facts
              facts={consent.states.map((state) => ({
                name: state.customer_id === null ? "Account" : nameOf(state.customer_id),
                value: <Status machine="consent" state={state.status} />,
              }))}
            />
          )}
          <p className="meta">
            The proof can be checked by anyone, without us: each entry carries the hash of the one
            before.
          </p>
        </div>
      </Card>
    </div>
  );
}

export function ConsentTimeline(props: { consent: ConsentHistory }) {
  return <Timeline moments={props.consent.history.map(momentOf)} />;
}

function momentOf(entry: ConsentEntry): TimelineItem {
  const look = lookOf("consent", entry.status);
  const words = entry.keyword ? `${look.word} by “${entry.keyword}”` : look.word;
  return {
    key: entry.id,
    at: entry.created_at,
    tone: look.tone,
    icon: look.icon,
    title: `${words} · ${sourceWords(entry.source)}`,
    detail: (
      <div className="stack">
        <span className="meta">
          {entry.note && <span>{entry.note} · </span>}
          <Copy text={entry.hash}>
            <span className="mono">{entry.hash.slice(0, 16)}…</span>
          </Copy>
        </span>
        <Evidence entry={entry} />
      </div>
    ),
  };
}
