import type { ApiKey, Page as ListPage } from "@longwave/sdk";
import { useState } from "react";
import { useHasRole } from "../../api/account.tsx";
import { useConsoleAct, useConsoleRead } from "../../api/console-queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm, SecretDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { SelectField } from "../../ui/field.tsx";
import { plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Page } from "../../ui/page.tsx";
import { RoleNeeded } from "../../ui/role-needed.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { Badge } from "../../ui/status.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time, useNow } from "../../ui/values.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";
import { TwilioCard } from "./twilio-card.tsx";

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
        <div className="stack-wide">
          <Loaded query={keys}>
            {(page) =>
              page.data.length === 0 ? (
                <div className="list">
                  <Empty icon="key" title="No keys yet" action={mint}>
                    A test key sends simulated texts and costs nothing.
                  </Empty>
                </div>
              ) : (
                <Keys keys={page.data} onSecret={setSecret} />
              )
            }
          </Loaded>
          {mayMint && <TwilioCard />}
        </div>
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

/** Keys in use, and the revoked ones on demand. */
function Keys(props: { keys: readonly ApiKey[]; onSecret: (secret: string | null) => void }) {
  const [search, set] = useFilters();
  const usable = props.keys.filter((key) => key.revoked_at === null);
  const revoked = props.keys.length - usable.length;
  const isAll = search["revoked"] === "1" || usable.length === 0;
  return (
    <div className="stack">
      <KeyTable keys={isAll ? props.keys : usable} onSecret={props.onSecret} />
      {revoked > 0 && usable.length > 0 && (
        <div className="row">
          <Button
            kind="ghost"
            size="small"
            onClick={() => set({ revoked: isAll ? undefined : "1" })}
          >
            {isAll ? "Hide revoked keys" : `Show ${plural(revoked, "revoked key")}`}
          </Button>
        </div>
      )}
    </div>
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
    { name: "Limits", cell: (key) => <Limits apiKey={key} /> },
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

const OVERLAPS = [
  { value: "0", label: "At once" },
  { value: "1", label: "In 1 hour" },
  { value: "24", label: "In 24 hours" },
];

/** End of the key, and networks that may use it. */
function Limits(props: { apiKey: ApiKey }) {
  const { expires_at: end, allowed_ips: networks } = props.apiKey;
  const now = useNow();
  if (end === null && networks === null) return <span className="muted">–</span>;
  const isOver = end !== null && Date.parse(end) <= now;
  return (
    <span className="stack-tight">
      {end !== null && (
        <span>
          {isOver ? "Expired" : "Expires"} <Time at={end} />
        </span>
      )}
      {networks !== null && <span className="meta">{networks.join(", ")}</span>}
    </span>
  );
}

function KeyActions(props: { apiKey: ApiKey; onSecret: (secret: string | null) => void }) {
  const { apiKey } = props;
  const mayChange = useHasRole("admin");
  const [openDialog, setOpenDialog] = useState<"roll" | "revoke" | null>(null);
  const [overlap, setOverlap] = useState("0");
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
        ? {
            path: `/keys/${apiKey.id}/roll`,
            method: "POST",
            body: { overlap_hours: Number(overlap) },
          }
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
        {isRoll ? (
          <div className="stack">
            <p>A new key with the same rights takes its place.</p>
            <SelectField
              label="The old key stops working"
              value={overlap}
              choices={OVERLAPS}
              onChange={(event) => setOverlap(event.target.value)}
            />
          </div>
        ) : (
          "Calls with it are refused at once. This can't be undone."
        )}
      </Confirm>
    </>
  );
}
