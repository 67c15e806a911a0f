import type { Automation, AutomationRun } from "@longwave/sdk";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm, FormDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { SelectField } from "../../ui/field.tsx";
import { formatPhone } from "../../ui/format.ts";
import { statesOf } from "../../ui/looks.ts";
import { Page } from "../../ui/page.tsx";
import { NamedPerson } from "../../ui/person.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Badge, Status } from "../../ui/status.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { AutomationEditor } from "./editor.tsx";
import { endWords } from "./words.ts";

/** The diagram counts the newest runs only: reading all would take too long. */
const RUNS_COUNTED = 100;
const RUNS_REFETCH_MS = 5_000;
const PAGE_ITEMS = 50;

export function NewAutomationPage() {
  const { base } = useAccount();
  const navigate = useNavigate();
  return (
    <Page title="New automation" crumb={{ to: `${base}/automations`, label: "Automations" }}>
      <AutomationEditor
        automation={null}
        runs={[]}
        mayEdit
        onSaved={(made) =>
          void navigate({ to: `${base}/automations/${made.id}`, search: {} } as never)
        }
      />
    </Page>
  );
}

const TABS = [
  { id: "picture", label: "Flow" },
  { id: "runs", label: "Runs" },
];

export function AutomationPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { base } = useAccount();
  const automation = useRead(["automations", id], (api, signal) =>
    api.automations.get(id, { signal }),
  );
  return (
    <Page
      title={automation.data?.name ?? "Automation"}
      crumb={{ to: `${base}/automations`, label: "Automations" }}
      about={
        automation.data && (
          <>
            <Status machine="automation" state={automation.data.status} /> Version{" "}
            {automation.data.version}
          </>
        )
      }
      actions={automation.data && <Actions automation={automation.data} />}
    >
      <Loaded query={automation}>{(value) => <Body automation={value} />}</Loaded>
    </Page>
  );
}

function Body(props: { automation: Automation }) {
  const { automation } = props;
  const mayEdit = useHasRole("member");
  const tab = useTab(TABS);
  const runs = useRead(
    ["automations", automation.id, "counted"],
    (api, signal) => api.automations.runs(automation.id, { limit: RUNS_COUNTED }, { signal }),
    { refetchMs: RUNS_REFETCH_MS },
  );
  return (
    <div className="stack">
      <Tabs label="Parts of the automation" tabs={TABS} chosen={tab} />
      {tab === "runs" ? (
        <Runs id={automation.id} />
      ) : (
        <AutomationEditor
          key={automation.version}
          automation={automation}
          runs={runs.data?.data ?? []}
          mayEdit={mayEdit}
          onSaved={(saved) => toast(`Saved. New runs take version ${saved.version}.`)}
        />
      )}
    </div>
  );
}

const COLUMNS: readonly Column<AutomationRun>[] = [
  {
    name: "Contact",
    width: "minmax(140px, 1fr)",
    cell: (row) => (
      <>
        <NamedPerson phone={row.phone_number} /> {row.test && <Badge tone="orange" word="Test" />}
      </>
    ),
  },
  {
    name: "State",
    width: "120px",
    cell: (row) => <Status machine="automation_run" state={row.status} />,
  },
  {
    name: "Why",
    width: "minmax(100px, 1fr)",
    wideOnly: true,
    cell: (row) => (row.reason === null ? "–" : endWords(row.reason)),
  },
  { name: "Steps", width: "60px", right: true, wideOnly: true, cell: (row) => row.steps.length },
  {
    name: "Waits until",
    width: "110px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.wait_until} />,
  },
  {
    name: "Started",
    width: "104px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.started_at} />,
  },
];

const RUN_FILTERS: readonly FilterSpec[] = [
  { name: "status", label: "Any state", kind: "choice", choices: statesOf("automation_run") },
];

function Runs(props: { id: string }) {
  const { api, base } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["status"]);
  return (
    <div>
      <FilterBar filters={RUN_FILTERS} />
      <List
        label="Runs"
        source={{
          key: ["automations", props.id, "runs", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.automations.runs(
              props.id,
              { ...(query as object), limit: PAGE_ITEMS, cursor },
              { signal },
            ),
        }}
        columns={COLUMNS}
        linkOf={(row) => `${base}/automations/runs/${row.id}`}
        grows={{ events: ["automation.run.started"] }}
        empty={
          <Empty icon="play" title={query.status === undefined ? "No runs yet" : "No runs match"}>
            A run starts when your program tracks the event for a matching contact.
          </Empty>
        }
      />
    </div>
  );
}

function Actions(props: { automation: Automation }) {
  const { automation } = props;
  const { base } = useAccount();
  const mayEdit = useHasRole("member");
  const navigate = useNavigate();
  const [open, setOpen] = useState<"test" | "delete" | null>(null);
  const isActive = automation.status === "active";
  const turn = useAct(
    (status: Automation["status"], { api }) => api.automations.update(automation.id, { status }),
    { stale: ["automations"] },
  );
  const remove = useAct((_: undefined, { api }) => api.automations.delete(automation.id), {
    stale: ["automations"],
    onDone: () => void navigate({ to: `${base}/automations`, search: {} } as never),
  });
  if (!mayEdit) return null;
  return (
    <>
      {turn.error ? <ErrorBox error={turn.error} /> : null}
      <Button icon="phone" onClick={() => setOpen("test")}>
        Test it
      </Button>
      <Button
        icon={isActive ? "pause" : "play"}
        busy={turn.isPending}
        onClick={() => turn.mutate(isActive ? "paused" : "active")}
      >
        {isActive ? "Pause" : "Resume"}
      </Button>
      <Button kind="danger" onClick={() => setOpen("delete")}>
        Delete
      </Button>
      {open === "test" && <TestDialog automation={automation} onClose={() => setOpen(null)} />}
      <Confirm
        title={`Delete ${automation.name}?`}
        isOpen={open === "delete"}
        onClose={() => setOpen(null)}
        onConfirm={() => remove.mutate(undefined)}
        action="Delete the automation"
        busy={remove.isPending}
        error={remove.error}
      >
        Runs in progress end where they are. What they sent stays.
      </Confirm>
    </>
  );
}

/** Runs the automation for a verified number of the account: waits are skipped. */
function TestDialog(props: { automation: Automation; onClose: () => void }) {
  const { base } = useAccount();
  const navigate = useNavigate();
  const phones = useRead(["verified-numbers"], (api, signal) =>
    api.verifiedNumbers.list({}, { signal }),
  );
  const verified = (phones.data?.data ?? []).filter((phone) => phone.status === "verified");
  const [chosen, setChosen] = useState("");
  const phone = chosen || (verified[0]?.phone_number ?? "");
  const test = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.automations.test(props.automation.id, { phone_number: phone }, { idempotencyKey }),
    {
      stale: ["automations"],
      onDone: (run) =>
        void navigate({ to: `${base}/automations/runs/${run.id}`, search: {} } as never),
    },
  );
  return (
    <FormDialog
      title="Test it on a phone of yours"
      isOpen
      onClose={props.onClose}
      onSubmit={() => test.mutate(undefined)}
      submit="Run it"
      busy={test.isPending}
      disabled={phone === ""}
      error={test.error}
    >
      <p className="muted">
        Waits are skipped; tags, topics and events are only reported. The texts are sent.
      </p>
      <SelectField
        label="Phone"
        value={phone}
        blank={verified.length === 0 ? "No verified phone yet: add one under Settings" : "Choose"}
        choices={verified.map(({ phone_number }) => ({
          value: phone_number,
          label: formatPhone(phone_number),
        }))}
        onChange={(event) => setChosen(event.target.value)}
      />
    </FormDialog>
  );
}
