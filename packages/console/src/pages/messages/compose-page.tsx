import type { MessagePreview, MessagesSendBody } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { useHasBilling } from "../../api/session.ts";
import { useDraft } from "../../draft.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { AreaField, errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { formatUsd } from "../../ui/format.ts";
import { Card, Page } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { toast } from "../../ui/toast.tsx";
import { SenderField } from "../numbers/sender-field.tsx";
import { MagicNumbers } from "../phone/magic-numbers.tsx";
import { PhoneScreen } from "../phone/phone-screen.tsx";
import { blockedWords } from "./blocked.ts";
import { RecipientField, useLastSender } from "./recipient-field.tsx";
import { sendSamples } from "./samples.ts";
import { SegmentMeter } from "./segment-meter.tsx";

interface ComposeForm {
  readonly to: string;
  readonly from: string;
  /** The reader chose the sender; otherwise it follows the person. */
  readonly isFromChosen: boolean;
  readonly body: string;
  /** Local time from the browser's field; empty means now. */
  readonly at: string;
}

const EMPTY: ComposeForm = { to: "", from: "", isFromChosen: false, body: "", at: "" };
const FIELDS = ["to", "from", "body", "scheduled_at"];
const PREVIEW_AFTER_MS = 400;

export function ComposePage() {
  const { base, mode } = useAccount();
  const hasPrice = useHasBilling() && mode === "live";
  const form = useDraft(`compose.${mode}`, EMPTY);
  const { to, from, body, at } = form.value;
  usePrefill(form.set);
  const lastSender = useLastSender(to);
  const sender = form.value.isFromChosen ? null : lastSender;
  const { set } = form;
  useEffect(() => {
    if (sender !== null) set({ from: sender });
  }, [sender, set]);
  const navigate = useNavigate();
  const send = useAct(
    (_: undefined, { api }) =>
      api.messages.send(bodyOf(form.value), { idempotencyKey: form.idempotencyKey }),
    {
      stale: ["messages", "thread", "home", "scheduled"],
      onDone: (made) => {
        form.clear();
        toast(made.object === "scheduled_message" ? "Scheduled." : "Sent.");
        const path = made.object === "message" ? `messages/${made.id}` : "scheduled";
        void navigate({ to: `${base}/${path}`, search: {} } as never);
      },
    },
  );
  const preview = usePreview({ to, from, body });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate(undefined);
  };
  return (
    <Page title="Send a text" crumb={{ to: `${base}/messages`, label: "Messages" }}>
      <div className="columns">
        <form className="stack-wide" onSubmit={submit}>
          <Card>
            <div className="stack">
              <RecipientField
                value={to}
                error={errorAt(send.error, "to")}
                onChange={(value) => form.set({ to: value })}
              />
              {mode === "test" && <MagicNumbers onPick={(phone) => form.set({ to: phone })} />}
              <SenderField
                value={from}
                error={errorAt(send.error, "from")}
                onChange={(value, isChosen) => form.set({ from: value, isFromChosen: isChosen })}
              />
              <AreaField
                label="Text"
                value={body}
                required
                rows={5}
                error={errorAt(send.error, "body")}
                onChange={(event) => form.set({ body: event.target.value })}
              />
              <SegmentMeter body={body} />
              <TextField
                label="Send at"
                optional
                type="datetime-local"
                value={at}
                help={`In your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}; at most 30 days ahead.`}
                error={errorAt(send.error, "scheduled_at")}
                onChange={(event) => form.set({ at: event.target.value })}
              />
              <PreviewNotes preview={preview} />
              {errorBeside(send.error, FIELDS) !== null && <ErrorBox error={send.error} />}
              <div className="row">
                <Button
                  type="submit"
                  kind="primary"
                  icon={at ? "calendar" : "send"}
                  busy={send.isPending}
                >
                  {sendLabel(at, preview, hasPrice)}
                </Button>
              </div>
            </div>
          </Card>
          <Code
            samples={sendSamples({
              from: from || "+15005550100",
              to: to || "+15005550000",
              body: body || "Hello",
            })}
          />
        </form>
        <PhoneScreen
          title={from.startsWith("+") ? from : "Your number"}
          bubbles={body ? [{ key: "b", side: "theirs", text: body }] : []}
        />
      </div>
    </Page>
  );
}

function bodyOf(value: ComposeForm): MessagesSendBody {
  const { to, from, body, at } = value;
  return at === "" ? { to, from, body } : { to, from, body, scheduled_at: Date.parse(at) };
}

/** Fills the form from `?to=…&from=…&body=…`, once. */
function usePrefill(set: (change: Partial<ComposeForm>) => void): void {
  const [search, setSearch] = useFilters();
  const { to, from, body } = search;
  useEffect(() => {
    const prefill = Object.fromEntries(
      Object.entries({ to, from, body }).filter(([, value]) => value),
    );
    if (Object.keys(prefill).length === 0) return;
    set(from ? { ...prefill, isFromChosen: true } : prefill);
    setSearch({ to: undefined, from: undefined, body: undefined });
  }, [to, from, body, set, setSearch]);
}

/** Previews the cost and the blocks of the message once typing pauses. */
function usePreview(message: { to: string; from: string; body: string }): MessagePreview | null {
  const [debounced, setDebounced] = useState(message);
  const { to, from, body } = message;
  useEffect(() => {
    const timer = setTimeout(() => setDebounced({ to, from, body }), PREVIEW_AFTER_MS);
    return () => clearTimeout(timer);
  }, [to, from, body]);
  const isWhole = debounced.to !== "" && debounced.from !== "" && debounced.body.trim() !== "";
  const read = useRead(
    ["preview", debounced],
    async (api, signal) => {
      const answer = await api.messages.send({ ...debounced, dry_run: true }, { signal });
      return answer.object === "message_preview" ? answer : null;
    },
    { enabled: isWhole },
  );
  return isWhole ? (read.data ?? null) : null;
}

function PreviewNotes(props: { preview: MessagePreview | null }) {
  const blocked = props.preview?.blocked_by ?? [];
  const until = props.preview?.quiet_until ?? null;
  if (blocked.length === 0 && until !== null) {
    return (
      <Note tone="amber">Quiet hours hold this text until {new Date(until).toLocaleString()}.</Note>
    );
  }
  if (blocked.length === 0) return null;
  return (
    <Note tone="red">
      <strong>This send would be refused.</strong> {blocked.map(blockedWords).join(" ")}
    </Note>
  );
}

function sendLabel(at: string, preview: MessagePreview | null, hasPrice: boolean): string {
  const verb = at ? "Schedule" : "Send";
  if (!hasPrice || preview === null) return verb;
  return preview.price === 0 ? `${verb} · free` : `${verb} · ${formatUsd(preview.price)}`;
}
