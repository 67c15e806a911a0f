import type { ApiKey, Page as ListPage } from "@longwave/sdk";
import { useState } from "react";
import { useHasRole } from "../../api/account.tsx";
import { useConsoleAct, useConsoleRead } from "../../api/console-queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm, SecretDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Page } from "../../ui/page.tsx";
import { RoleNeeded } from "../../ui/role-needed.tsx";
import { Badge } from "../../ui/status.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";

export function KeysPage() {
  const mayRead = useHasRole("member");
  const mayMint = useHasRole("admin");
  const keys = useConsoleRead<ListPage<ApiKey>>("keys", mayRead);
  const [isOpen, setIsOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const mint = mayMint && (
    <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
      New key
    </Button>
  );
  return (
    <Page
      title="API keys"
      about="Keys for calling the API. Each has a mode and, if you wish, limited permissions."
      actions={mint}
    >
      {mayRead ? (
        <Loaded query={keys}>
          {(page) =>
            page.data.length === 0 ? (
              <div className="list">
                <Empty icon="key" title="No keys yet" action={mint}>
                  A test key sends simulated texts and costs nothing.
                </Empty>
              </div>
            ) : (
              <KeyTable keys={page.data} onSecret={setSecret} />
            )
          }
        </Loaded>
      ) : (
        <RoleNeeded needed="member" what="API keys" />
      )}
      {isOpen && (
        <NewKeyDialog
          onClose={() => setIsOpen(false)}
          onMade={(key) => {
            setIsOpen(false);
            setSecret(key);
          }}
        />
      )}
      <SecretDialog
        title="Your new key"
        secret={secret}
        what="We keep only its hash, so it cannot be shown again."
        onClose={() => setSecret(null)}
      />
    </Page>
  );
}

function KeyTable(props: { keys: readonly ApiKey[]; onSecret: (secret: string | null) => void }) {
  const columns: readonly TableColumn<ApiKey>[] = [
    { name: "Name", cell: (key) => <span className="strong">{key.name ?? "–"}</span> },
    {
      name: "Mode",
      cell: (key) => (
        <Badge
          tone={key.mode === "live" ? "slate" : "orange"}
          word={key.mode === "live" ? "Live" : "Test"}
        />
      ),
    },
    {
      name: "Key",
      cell: (key) => (
        <span className="mono muted">
          svc_sk_{key.mode}_…{key.last4 ?? "imported"}
        </span>
      ),
    },
    {
      name: "Permissions",
      cell: (key) => (key.scopes === null ? "Full access" : key.scopes.join(", ")),
    },
    { name: "Last used", right: true, cell: (key) => <Time at={key.last_used_at} /> },
    { name: "Created", right: true, cell: (key) => <Time at={key.created_at} /> },
    {
      name: "Actions",
      nameless: true,
      right: true,
      cell: (key) =>
        key.revoked_at === null ? (
          <KeyActions apiKey={key} onSecret={props.onSecret} />
        ) : (
          <Badge tone="slate" icon="minus" word="Revoked" />
        ),
    },
  ];
  return <Table label="Keys" columns={columns} rows={props.keys} keyOf={(key) => key.id} />;
}

function KeyActions(props: { apiKey: ApiKey; onSecret: (secret: string | null) => void }) {
  const { apiKey } = props;
  const mayChange = useHasRole("admin");
  const [openDialog, setOpenDialog] = useState<"roll" | "revoke" | null>(null);
  const change = useConsoleAct<ApiKey>("keys", (made) => {
    setOpenDialog(null);
    if (!made.key) toast("The key is revoked.");
    if (made.key) props.onSecret(made.key);
  });
  if (!mayChange) return null;
  const isRoll = openDialog === "roll";
  const confirm = () =>
    change.mutate(
      isRoll
        ? { path: `/keys/${apiKey.id}/roll`, method: "POST" }
        : { path: `/keys/${apiKey.id}`, method: "DELETE" },
    );
  return (
    <>
      <Menu
        label={`Actions for ${apiKey.name ?? apiKey.id}`}
        trigger={<Icon name="dots" />}
        className="btn"
      >
        <MenuItem icon="retry" onSelect={() => setOpenDialog("roll")}>
          Roll
        </MenuItem>
        <MenuItem icon="trash" danger onSelect={() => setOpenDialog("revoke")}>
          Revoke
        </MenuItem>
      </Menu>
      <Confirm
        title={`${isRoll ? "Roll" : "Revoke"} ${apiKey.name ?? `…${apiKey.last4 ?? "imported"}`}?`}
        isOpen={openDialog !== null}
        onClose={() => setOpenDialog(null)}
        onConfirm={confirm}
        action={isRoll ? "Roll the key" : "Revoke the key"}
        busy={change.isPending}
        error={change.error}
      >
        {isRoll
          ? "A new key with the same scopes takes its place. The old one stops working at once."
          : "Calls with it are refused at once. This can't be undone."}
      </Confirm>
    </>
  );
}
