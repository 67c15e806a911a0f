import { SNIPPET_NAME_CHARS_MAX } from "@longwave/contract/tables";
import type { Snippet } from "@longwave/sdk";
import { useState } from "react";
import { useAct, useRead } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog, FormDialog } from "../../ui/dialog.tsx";
import { AreaField, errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { DeleteButton } from "./delete-button.tsx";

const SNIPPETS_READ = 100;

/** Saved replies: inserts one, saves the draft as one, and manages them. */
export function SnippetMenu(props: { draft: string; onPick: (text: string) => void }) {
  const [openDialog, setOpenDialog] = useState<"new" | "manage" | null>(null);
  const snippets = useRead(["snippets"], (api, signal) =>
    api.snippets.list({ limit: SNIPPETS_READ }, { signal }),
  );
  const all = snippets.data?.data ?? [];
  return (
    <>
      <Menu
        trigger={
          <>
            <Icon name="bookmark" />
            Snippets
          </>
        }
      >
        {all.map((snippet) => (
          <MenuItem key={snippet.id} onSelect={() => props.onPick(snippet.body)}>
            {snippet.name}
          </MenuItem>
        ))}
        {all.length > 0 && <div className="menu-rule" />}
        <MenuItem icon="plus" onSelect={() => setOpenDialog("new")}>
          New snippet
        </MenuItem>
        {all.length > 0 && (
          <MenuItem icon="settings" onSelect={() => setOpenDialog("manage")}>
            Manage snippets
          </MenuItem>
        )}
      </Menu>
      {openDialog === "new" && (
        <NewSnippet draft={props.draft} onClose={() => setOpenDialog(null)} />
      )}
      {openDialog === "manage" && (
        <ManageSnippets snippets={all} onClose={() => setOpenDialog(null)} />
      )}
    </>
  );
}

function NewSnippet(props: { draft: string; onClose: () => void }) {
  const [name, setName] = useState("");
  const [body, setBody] = useState(props.draft);
  const create = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.snippets.create({ name, body }, { idempotencyKey }),
    { stale: ["snippets"], onDone: props.onClose },
  );
  return (
    <FormDialog
      title="New snippet"
      isOpen
      onClose={props.onClose}
      onSubmit={() => create.mutate(undefined)}
      submit="Save snippet"
      busy={create.isPending}
      error={errorBeside(create.error, ["name", "body"])}
    >
      <TextField
        label="Name"
        required
        maxLength={SNIPPET_NAME_CHARS_MAX}
        value={name}
        error={errorAt(create.error, "name")}
        onChange={(event) => setName(event.target.value)}
      />
      <AreaField
        label="Text"
        required
        rows={4}
        value={body}
        error={errorAt(create.error, "body")}
        onChange={(event) => setBody(event.target.value)}
      />
    </FormDialog>
  );
}

function ManageSnippets(props: { snippets: readonly Snippet[]; onClose: () => void }) {
  const remove = useAct((id: string, { api }) => api.snippets.delete(id), { stale: ["snippets"] });
  return (
    <Dialog title="Snippets" isOpen onClose={props.onClose}>
      <div className="dialog-body stack">
        {props.snippets.map((snippet) => (
          <div key={snippet.id} className="row-apart">
            <span className="grow stack-tight">
              <b>{snippet.name}</b>
              <span className="muted cut">{snippet.body}</span>
            </span>
            <DeleteButton
              what={snippet.name}
              isBusy={remove.isPending}
              error={remove.error}
              onDelete={() => remove.mutate(snippet.id)}
            />
          </div>
        ))}
      </div>
      <div className="dialog-foot">
        <Button kind="primary" onClick={props.onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
