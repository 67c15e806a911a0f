import { type Contact, NotFoundError } from "@longwave/sdk";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Id } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { formatExact, formatPhone } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { usePageParams } from "../../ui/pane.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { Tags } from "../../ui/tags.tsx";
import { toast } from "../../ui/toast.tsx";
import { Phone, Time } from "../../ui/values.tsx";
import { ConsentTimeline, useConsentProof } from "../consent/phone-page.tsx";
import { MessageRows } from "../messages/message-rows.tsx";
import { ContactDialog } from "./contact-form.tsx";
import { ContactTopics } from "./contact-topics.tsx";

const MESSAGES_SHOWN = 8;

export function ContactPage() {
  const { id } = usePageParams<{ id: string }>();
  const { base } = useAccount();
  const contact = useRead(["contacts", id], (api, signal) => api.contacts.get(id, { signal }));
  const title = contact.data ? (contact.data.name ?? formatPhone(contact.data.phone_number)) : "";
  return (
    <Page
      title={title || "Contact"}
      crumb={{ to: `${base}/contacts`, label: "Contacts" }}
      actions={contact.data && <Actions contact={contact.data} />}
    >
      <Loaded query={contact}>{(value) => <Profile contact={value} />}</Loaded>
    </Page>
  );
}

function Profile(props: { contact: Contact }) {
  const { contact } = props;
  return (
    <div className="columns">
      <div className="stack-wide">
        <ConsentCard phone={contact.phone_number} />
        <MessagesCard phone={contact.phone_number} />
      </div>
      <div className="stack-wide">
        <Card title="Profile">
          <Facts
            facts={[
              { name: "Phone", value: <Phone value={contact.phone_number} /> },
              { name: "Name", value: contact.name ?? "–" },
              { name: "Email", value: contact.email ?? "–" },
              { name: "Company", value: contact.company ?? "–" },
              { name: "Tags", value: <Tags tags={contact.tags} /> },
              { name: "Opt-in given", value: optInWords(contact) },
              { name: "Id", value: <Id value={contact.id} /> },
              { name: "Added", value: <Time at={contact.created_at} /> },
              { name: "Changed", value: <Time at={contact.updated_at} /> },
            ]}
          />
        </Card>
        {Object.keys(contact.attributes).length > 0 && (
          <Card title="Attributes">
            <Facts
              facts={Object.entries(contact.attributes).map(([name, value]) => ({ name, value }))}
            />
          </Card>
        )}
        <ContactTopics phone={contact.phone_number} />
      </div>
    </div>
  );
}

function optInWords({ opt_in: optIn }: Contact): string {
  if (optIn === null) return "–";
  const words = [
    optIn.status ? "Yes" : "No",
    optIn.source,
    optIn.date === null ? null : formatExact(optIn.date),
  ];
  return words.filter(Boolean).join(" · ");
}

function ConsentCard(props: { phone: string }) {
  // The list first: most contacts have no record, and a 404 is an error in the browser's console.
  const states = useRead(["consent", props.phone, "state"], (api, signal) =>
    api.consent.list({ phone_number: props.phone }, { signal }),
  );
  const consent = useRead(
    ["consent", props.phone],
    (api, signal) => api.consent.get(props.phone, {}, { signal }),
    { enabled: (states.data?.data.length ?? 0) > 0 },
  );
  const proof = useConsentProof(props.phone);
  if (states.data?.data.length === 0 || consent.error instanceof NotFoundError) {
    return (
      <Card title="Consent">
        <p className="muted">
          Nothing is recorded. STOP and START are recorded by themselves, and so is an opt-in that
          comes with the contact.
        </p>
      </Card>
    );
  }
  return (
    <Card
      title="Consent"
      aside={
        <span className="row">
          {consent.data && <Status machine="consent" state={consent.data.status} />}
          <Button
            size="small"
            icon="download"
            busy={proof.isPending}
            onClick={() => proof.mutate(undefined)}
          >
            Proof
          </Button>
        </span>
      }
    >
      {proof.error ? <ErrorBox error={proof.error} /> : null}
      <Loaded query={consent} skeletonLines={2}>
        {(value) => <ConsentTimeline consent={value} />}
      </Loaded>
    </Card>
  );
}

function MessagesCard(props: { phone: string }) {
  const { base } = useAccount();
  const messages = useRead(["thread", props.phone, "newest"], (api, signal) =>
    api.messages.list({ number: props.phone, limit: MESSAGES_SHOWN }, { signal }),
  );
  return (
    <Card
      title="Newest messages"
      flush
      aside={
        <Link to={`${base}/conversations/${props.phone}`} search={{}}>
          Conversation
        </Link>
      }
    >
      <MessageRows
        rows={messages.data?.data ?? []}
        empty="No texts with this phone yet."
        isOnePerson
      />
    </Card>
  );
}

function Actions(props: { contact: Contact }) {
  const { contact } = props;
  const { base } = useAccount();
  const mayEdit = useHasRole("member");
  const mayDelete = useHasRole("admin");
  const navigate = useNavigate();
  const [isEditing, setIsEditing] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const remove = useAct((_: undefined, { api }) => api.contacts.delete(contact.id), {
    stale: ["contacts"],
    onDone: () => void navigate({ to: `${base}/contacts`, search: {} } as never),
  });
  return (
    <>
      {mayEdit && (
        <>
          <ButtonLink to={`${base}/messages/new`} search={{ to: contact.phone_number }} icon="send">
            Send a text
          </ButtonLink>
          <Button onClick={() => setIsEditing(true)}>
            <Icon name="user" />
            Edit
          </Button>
        </>
      )}
      {mayDelete && (
        <Button kind="danger" onClick={() => setIsAsking(true)}>
          Delete
        </Button>
      )}
      {isEditing && (
        <ContactDialog
          contact={contact}
          onClose={() => setIsEditing(false)}
          onSaved={() => {
            setIsEditing(false);
            toast("Saved.");
          }}
        />
      )}
      <Confirm
        title={`Delete ${contact.name ?? formatPhone(contact.phone_number)}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => remove.mutate(undefined)}
        action="Delete the contact"
        busy={remove.isPending}
        error={remove.error}
      >
        Their messages and what they agreed to stay: an opt-out is never forgotten.
      </Confirm>
    </>
  );
}
