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
  const [openDialog, setOpenDialog] = useState<"new" | "manage" | Snippet | null>(null);
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
        <SnippetDialog draft={props.draft} onClose={() => setOpenDialog(null)} />
      )}
      {openDialog === "manage" && (
        <ManageSnippets snippets={all} onEdit={setOpenDialog} onClose={() => setOpenDialog(null)} />
      )}
      {openDialog !== null && typeof openDialog === "object" && (
        <SnippetDialog snippet={openDialog} onClose={() => setOpenDialog(null)} />
      )}
    </>
  );
}

/** Creates a snippet from a draft, or changes one. */
function SnippetDialog(props: { snippet?: Snippet; draft?: string; onClose: () => void }) {
  const { snippet } = props;
  const [name, setName] = useState(snippet?.name ?? "");
  const [body, setBody] = useState(snippet?.body ?? props.draft ?? "");
  const save = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      snippet
        ? api.snippets.update(snippet.id, { name, body }, { idempotencyKey })
        : api.snippets.create({ name, body }, { idempotencyKey }),
    { stale: ["snippets"], onDone: props.onClose },
  );
  return (
    <FormDialog
      title={snippet ? "Edit snippet" : "New snippet"}
      isOpen
      onClose={props.onClose}
      onSubmit={() => save.mutate(undefined)}
      submit="Save snippet"
      busy={save.isPending}
      error={errorBeside(save.error, ["name", "body"])}
    >
      <TextField
        label="Name"
        required
        maxLength={SNIPPET_NAME_CHARS_MAX}
        value={name}
        error={errorAt(save.error, "name")}
        onChange={(event) => setName(event.target.value)}
      />
      <AreaField
        label="Text"
        required
        rows={4}
        value={body}
        error={errorAt(save.error, "body")}
        onChange={(event) => setBody(event.target.value)}
      />
    </FormDialog>
  );
}

function ManageSnippets(props: {
  snippets: readonly Snippet[];
  onEdit: (snippet: Snippet) => void;
  onClose: () => void;
}) {
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
            <Button
              kind="ghost"
              size="small"
              aria-label={`Edit ${snippet.name}`}
              onClick={() => props.onEdit(snippet)}
            >
              Edit
            </Button>
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
