import { CONVERSATION_NOTE_CHARS_MAX } from "@longwave/contract/tables";
import type { ConversationNote } from "@longwave/sdk";
import { type FormEvent, useState } from "react";
import { useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { Time } from "../../ui/values.tsx";
import { DeleteButton } from "./delete-button.tsx";

const NOTES_READ = 100;

/** Internal notes of a conversation. They are never sent. */
export function Notes(props: { phone: string }) {
  const { phone } = props;
  const mayWrite = useHasRole("member");
  const [body, setBody] = useState("");
  const notes = useRead(["notes", phone], (api, signal) =>
    api.conversations.notes(phone, { limit: NOTES_READ }, { signal }),
  );
  const add = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.conversations.addNote(phone, { body }, { idempotencyKey }),
    { stale: ["notes"], onDone: () => setBody("") },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (body.trim() !== "" && !add.isPending) add.mutate(undefined);
  };
  return (
    <Card title="Notes">
      <div className="stack">
        {(notes.data?.data ?? []).map((note) => (
          <Note key={note.id} note={note} phone={phone} mayDelete={mayWrite} />
        ))}
        {notes.data?.data.length === 0 && !mayWrite && <p className="muted">No notes.</p>}
        {mayWrite && (
          <form className="stack-tight" onSubmit={submit}>
            <textarea
              className="textarea"
              aria-label="New note"
              placeholder="Only members see notes…"
              rows={2}
              maxLength={CONVERSATION_NOTE_CHARS_MAX}
              value={body}
              onChange={(event) => setBody(event.target.value)}
            />
            {add.error ? <ErrorBox error={add.error} /> : null}
            <div className="row">
              <Button type="submit" size="small" busy={add.isPending}>
                Add note
              </Button>
            </div>
          </form>
        )}
      </div>
    </Card>
  );
}

function Note(props: { note: ConversationNote; phone: string; mayDelete: boolean }) {
  const { note } = props;
  const remove = useAct(
    (_: undefined, { api }) => api.conversations.deleteNote(props.phone, note.id),
    { stale: ["notes"] },
  );
  return (
    <div className="stack-tight">
      <p className="wrap-anywhere" style={{ whiteSpace: "pre-wrap" }}>
        {note.body}
      </p>
      <div className="row-apart meta">
        <span>
          {note.author.name ?? "Member"} · <Time at={note.created_at} />
        </span>
        {props.mayDelete && (
          <DeleteButton
            what="the note"
            isBusy={remove.isPending}
            error={remove.error}
            onDelete={() => remove.mutate(undefined)}
          />
        )}
      </div>
    </div>
  );
}
