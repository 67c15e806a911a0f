import type { VerificationDecision } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatPhone } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { NamedPerson } from "../../ui/person.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";
import { RuleBars } from "./rule-bars.tsx";
import { ruleWords } from "./rules.ts";

const PAGE_ITEMS = 100;

const FILTERS: readonly FilterSpec[] = [
  { name: "phone", label: "Phone", kind: "phone" },
  {
    name: "allowed",
    label: "Any decision",
    kind: "choice",
    choices: [
      { value: "true", label: "Allowed" },
      { value: "false", label: "Blocked" },
    ],
  },
];

export function DecisionsPage() {
  const { api, base } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["phone", "allowed"]);
  const [opened, setOpened] = useState<VerificationDecision | null>(null);
  const columns: readonly Column<VerificationDecision>[] = [
    {
      name: "Decision",
      width: "124px",
      cell: (row) => <Status machine="decision" state={decisionState(row)} />,
    },
    {
      name: "Person",
      width: "minmax(160px, 1fr)",
      cell: (row) => <NamedPerson phone={row.phone} />,
    },
    {
      name: "Reason",
      width: "minmax(120px, 1fr)",
      wideOnly: true,
      cell: (row) =>
        row.reason === null ? <span className="muted">–</span> : ruleWords(row.reason),
    },
    {
      name: "Code",
      width: "80px",
      wideOnly: true,
      cell: (row) =>
        row.verification_id === null ? (
          <span className="muted">–</span>
        ) : (
          <Link to={`${base}/verify/${row.verification_id}`} search={{}}>
            Open
          </Link>
        ),
    },
    {
      name: "When",
      width: "112px",
      cell: (row) => <Time at={row.created_at} />,
    },
    {
      name: "",
      width: "72px",
      right: true,
      cell: (row) => (
        <button type="button" className="btn" data-size="small" onClick={() => setOpened(row)}>
          Rules
        </button>
      ),
    },
  ];
  return (
    <Page
      title="Fraud decisions"
      about="Every text with a code was checked. Open one to see each rule, what it counted and what it allows."
      crumb={{ to: `${base}/verify`, label: "Verify" }}
      actions={
        <ButtonLink to={`${base}/verify/blocks`} icon="minus">
          Current blocks
        </ButtonLink>
      }
    >
      <FilterBar filters={FILTERS} />
      <List
        label="Decisions"
        source={{
          key: ["decisions", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.verify.decisions({ ...(query as object), limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={columns}
        grows={{ events: ["verification.sent", "verification.blocked"] }}
        empty={
          <Empty
            icon="shield"
            title={Object.keys(query).length > 0 ? "No decision matches" : "No decisions yet"}
            action={
              <ButtonLink to={`${base}/verify`} kind="primary">
                Try a verification
              </ButtonLink>
            }
          >
            Each code that is asked for is checked first.
          </Empty>
        }
      />
      <Dialog
        title={opened ? `Rules for ${formatPhone(opened.phone)}` : ""}
        isOpen={opened !== null}
        onClose={() => setOpened(null)}
      >
        <div className="dialog-body">{opened && <RuleBars rules={opened.rules} />}</div>
      </Dialog>
    </Page>
  );
}

function decisionState(row: VerificationDecision): "allowed" | "blocked" | "watched" {
  if (!row.allowed) return "blocked";
  return row.reason === null ? "allowed" : "watched";
}
