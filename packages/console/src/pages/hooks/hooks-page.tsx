import { HOOKS_MAX } from "@longwave/contract/tables";
import type { Hook } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { Badge, Status } from "../../ui/status.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/values.tsx";
import { NewHook } from "./hook-dialog.tsx";
import { outcomeOf, programOf, senderOf, usePresets } from "./words.ts";

export function HooksPage() {
  const mayCreate = useHasRole("admin");
  const [isOpen, setIsOpen] = useState(false);
  const hooks = useRead(["hooks"], (api, signal) =>
    api.hooks.list({ limit: HOOKS_MAX }, { signal }),
  );
  const create = mayCreate && (
    <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
      New hook
    </Button>
  );
  return (
    <Page
      title="Hooks"
      about={`Addresses that other programs call in their own words. An account has at most ${HOOKS_MAX}.`}
      actions={create}
    >
      <Loaded query={hooks}>
        {(page) =>
          page.data.length === 0 ? (
            <div className="list">
              <Empty icon="link" title="No hooks yet" action={create}>
                Sign-in codes of Supabase, alerts of Grafana, texts of Novu: a hook turns the calls
                of a program into messages.
              </Empty>
            </div>
          ) : (
            <HookTable hooks={page.data} />
          )
        }
      </Loaded>
      {isOpen && <NewHook onClose={() => setIsOpen(false)} />}
    </Page>
  );
}

function HookTable(props: { hooks: readonly Hook[] }) {
  const { base } = useAccount();
  const presets = usePresets();
  const columns: readonly TableColumn<Hook>[] = [
    {
      name: "Name",
      cell: (each) => (
        <Link to={`${base}/hooks/${each.id}`} search={{}} className="strong wrap-anywhere">
          {each.name}
        </Link>
      ),
    },
    {
      name: "State",
      cell: (each) => <Status machine="endpoint" state={each.active ? "active" : "paused"} />,
    },
    { name: "Program", cell: (each) => programOf(each, presets) },
    { name: "From", cell: (each) => <span className="nowrap">{senderOf(each)}</span> },
    { name: "Last call", cell: (each) => <LastCall hookId={each.id} /> },
    { name: "Created", right: true, cell: (each) => <Time at={each.created_at} /> },
  ];
  return (
    <Table label="Hooks" columns={columns} rows={props.hooks} keyOf={(each) => each.id} links />
  );
}

/** Outcome and time of the hook's newest call. */
function LastCall(props: { hookId: string }) {
  const { hookId } = props;
  const newest = useRead(
    ["hook-requests", hookId, "newest"],
    (api, signal) => api.hooks.requests(hookId, { limit: 1 }, { signal }),
    { staleMs: 0 },
  );
  const [call] = newest.data?.data ?? [];
  if (!call) return <span className="muted">–</span>;
  return (
    <span className="row">
      <Badge {...outcomeOf(call)} /> <Time at={call.created_at} />
    </span>
  );
}
