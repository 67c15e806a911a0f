import type { Conversation } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useConsoleRead } from "../../api/console-queries.ts";
import type { MemberList } from "../../api/session-types.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { formatPhone } from "../../ui/format.ts";
import { Card, type Fact, Facts } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { Tags } from "../../ui/tags.tsx";
import { Phone, Time } from "../../ui/values.tsx";
import { sourceWords } from "../consent/words.ts";
import { type PersonFacts, useChangeConversation } from "./use-conversation.ts";

/** Assignee and state of the conversation. */
export function Handling(props: { conversation: Conversation }) {
  const { conversation } = props;
  const mayChange = useHasRole("member");
  const members = useConsoleRead<MemberList>("members");
  const change = useChangeConversation(conversation.phone_number);
  const { assignee, status } = conversation;
  const choices = (members.data?.data ?? []).map((member) => ({
    value: member.id,
    label: member.name ?? member.email,
  }));
  const isFormer = assignee !== null && !choices.some(({ value }) => value === assignee.id);
  const isOpen = status === "open";
  return (
    <Card title="Conversation">
      <div className="stack">
        <SelectField
          label="Assigned to"
          value={assignee?.id ?? ""}
          blank="Nobody"
          disabled={!mayChange}
          choices={
            isFormer ? [...choices, { value: assignee.id, label: assignee.name ?? "…" }] : choices
          }
          onChange={(event) => change.mutate({ assignee: event.target.value || null })}
        />
        {mayChange && (
          <div className="row">
            <Button
              icon={isOpen ? "check" : "reply"}
              busy={change.isPending}
              onClick={() => change.mutate({ status: isOpen ? "closed" : "open" })}
            >
              {isOpen ? "Close" : "Reopen"}
            </Button>
            <Button kind="ghost" onClick={() => change.mutate({ read: false })}>
              Mark unread
            </Button>
          </div>
        )}
        {change.error ? <ErrorBox error={change.error} /> : null}
      </div>
    </Card>
  );
}

/** Contact, consent and numbers of the person. */
export function PersonCard(props: {
  phone: string;
  person: PersonFacts;
  conversation: Conversation | null | undefined;
}) {
  const { base } = useAccount();
  const { phone, person, conversation } = props;
  const numbers = conversation?.numbers ?? [];
  return (
    <Card title="Person">
      <div className="stack">
        <Facts
          facts={[
            ...contactFacts(person, base),
            { name: "Phone", value: <Phone value={phone} /> },
            numbers.length === 0
              ? null
              : { name: "Wrote to", value: numbers.map(formatPhone).join(", ") },
          ]}
        />
        {person.consent.map((state) => (
          <Facts
            key={state.customer_id ?? ""}
            facts={[
              { name: "Consent", value: <Status machine="consent" state={state.status} /> },
              { name: "Since", value: <Time at={state.updated_at} /> },
              { name: "Source", value: sourceWords(state.source) },
            ]}
          />
        ))}
        <div className="row">
          <ButtonLink to={`${base}/consent/${phone}`} icon="consent">
            Consent history
          </ButtonLink>
          <ButtonLink to={`${base}/messages`} search={{ number: phone }} icon="list">
            All messages
          </ButtonLink>
        </div>
      </div>
    </Card>
  );
}

/** Facts of the contact, as far as the account has them. */
function contactFacts({ contact }: PersonFacts, base: string): readonly (Fact | null)[] {
  if (!contact) return [];
  return [
    {
      name: "Contact",
      value: (
        <Link to={`${base}/contacts/${contact.id}`} search={{}} className="wrap-anywhere">
          {contact.name ?? contact.email ?? "No name"}
        </Link>
      ),
    },
    contact.company === null ? null : { name: "Company", value: contact.company },
    contact.tags.length === 0 ? null : { name: "Tags", value: <Tags tags={contact.tags} /> },
  ];
}
