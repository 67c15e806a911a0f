import { roleAllows } from "@longwave/contract/tables";
import type { CarrierLink, Message } from "@longwave/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { createClient } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { makeIdempotencyKey } from "../../clock.ts";
import { Button } from "../../ui/button.tsx";
import { Copy } from "../../ui/copy.tsx";
import { errorAt, errorBeside, SelectField, TextField } from "../../ui/field.tsx";
import { formatPhone } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";

const NUMBERS_MAX = 100;
const POLL_MS = 1_000;
const POLLS_MAX = 600;

/** Sends one real message through the carrier, and shows its receipt and the reply. */
export function CarrierTest({ link }: { link: CarrierLink }) {
  const { accounts } = useSession();
  const usable = accounts.filter(({ role, visited }) => roleAllows(role, "member") && !visited);
  const command = `longwave carriers test ${link.name} --to +1…`;
  return (
    <Card title="Test message">
      <div className="stack">
        <p className="muted">A real message to your own phone, with its receipt and your reply.</p>
        {usable.length === 0 ? (
          <Note tone="blue">
            You are a member of no account that could send it. On the command line, with a live key:{" "}
            <Copy text={command}>
              <code>{command}</code>
            </Copy>
          </Note>
        ) : (
          <TestForm link={link} accounts={usable} />
        )}
      </div>
    </Card>
  );
}

interface Sent {
  readonly accountId: string;
  readonly message: Message;
}

function TestForm(props: {
  link: CarrierLink;
  accounts: readonly { readonly id: string; readonly name: string }[];
}) {
  const { link, accounts } = props;
  const [accountId, setAccountId] = useState(accounts[0]?.id ?? "");
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const [body, setBody] = useState(`Test of ${link.name} by Longwave`);
  const numbers = useQuery({
    // Numbers taken over meanwhile are the account's, too.
    queryKey: [accountId, "live", "numbers", "choices", link.numbers],
    queryFn: async ({ signal }) =>
      createClient(accountId, "live").numbers.list(
        { mode: "live", limit: NUMBERS_MAX },
        { signal },
      ),
  });
  const served = (numbers.data?.data ?? []).filter(
    ({ phone_number }) => link.numbers === "*" || link.numbers.includes(phone_number),
  );
  const sender = from || served[0]?.phone_number || "";
  const send = useMutation({
    mutationFn: async (): Promise<Sent> => {
      const message = await createClient(accountId, "live").messages.send(
        { from: sender, to, body },
        { idempotencyKey: makeIdempotencyKey() },
      );
      if (message.object !== "message") throw new Error("The message waits for its time.");
      return { accountId, message };
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate();
  };
  const beside = errorBeside(send.error, ["to", "from", "body"]);
  return (
    <form className="stack" onSubmit={submit}>
      <SelectField
        label="Account"
        value={accountId}
        choices={accounts.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(event) => {
          setAccountId(event.target.value);
          setFrom("");
        }}
      />
      <SelectField
        label="From"
        required
        value={sender}
        {...(served.length === 0 ? { blank: "No live number that the carrier serves" } : {})}
        choices={served.map(({ phone_number: phone }) => ({
          value: phone,
          label: formatPhone(phone),
        }))}
        error={errorAt(send.error, "from")}
        onChange={(event) => setFrom(event.target.value)}
      />
      <TextField
        label="Your own phone"
        required
        type="tel"
        placeholder="+14155550123"
        value={to}
        error={errorAt(send.error, "to")}
        onChange={(event) => setTo(event.target.value)}
      />
      <TextField
        label="Text"
        required
        value={body}
        error={errorAt(send.error, "body")}
        onChange={(event) => setBody(event.target.value)}
      />
      {beside !== null && <ErrorBox error={beside} />}
      {send.data && <Outcome key={send.data.message.id} sent={send.data} link={link} />}
      <div className="row">
        <Button
          type="submit"
          kind="primary"
          icon="send"
          busy={send.isPending}
          disabled={sender === ""}
        >
          Send the test message
        </Button>
      </div>
    </form>
  );
}

const isOver = ({ status }: Message) => status === "delivered" || status === "failed";

/** State of the message until its receipt came, and the first reply. */
function Outcome(props: { sent: Sent; link: CarrierLink }) {
  const { accountId, message: first } = props.sent;
  const api = createClient(accountId, "live");
  const read = useQuery({
    queryKey: [accountId, "live", "carrier-test", first.id],
    queryFn: async ({ signal }) => api.messages.get(first.id, { signal }),
    initialData: first,
    refetchInterval: ({ state }) =>
      state.data && (isOver(state.data) || state.dataUpdateCount > POLLS_MAX) ? false : POLL_MS,
  });
  const message = read.data;
  const reply = useQuery({
    queryKey: [accountId, "live", "carrier-test", first.id, "reply"],
    queryFn: async ({ signal }) => {
      const filter = { direction: "inbound", from: first.to, to: first.from, limit: 1 } as const;
      const [newest] = (await api.messages.list(filter, { signal })).data;
      return newest && newest.created_at >= first.created_at ? newest : null;
    },
    enabled: message.status !== "failed",
    refetchInterval: ({ state }) =>
      state.data || state.dataUpdateCount > POLLS_MAX ? false : POLL_MS,
  });
  const { failure, carrier } = message;
  return (
    <output className="stack-tight" aria-label="Outcome of the test">
      <span className="row">
        <Status machine="message" state={message.status} />
        <a href={`/${accountId}/live/messages/${message.id}`}>Open the message</a>
      </span>
      {failure && (
        <Note tone="red">
          {failure.explanation} {failure.carrier_code && <code>{failure.carrier_code}</code>}
        </Note>
      )}
      {carrier !== null && carrier !== props.link.name && (
        <Note tone="amber">
          {carrier} took the message: its priority is before that of {props.link.name}.
        </Note>
      )}
      {message.status !== "failed" &&
        (reply.data ? (
          <span>
            Reply: <q>{reply.data.body}</q>
          </span>
        ) : (
          <span className="muted">
            {isOver(message) ? "Answer it on your phone." : "Waiting for the receipt."}
          </span>
        ))}
    </output>
  );
}
