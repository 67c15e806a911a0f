import type { VerifyBlock } from "@longwave/sdk";
import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { FilterBar } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Badge } from "../../ui/status.tsx";
import { toast } from "../../ui/toast.tsx";
import { BLOCK_COLUMNS, BLOCKED_PHONES } from "../verify/blocks-page.tsx";
import { ACCOUNT_FILTER } from "./account-field.tsx";
import { AccountLink } from "./account-name.tsx";

const PAGE_ITEMS = 100;
const FILTERS = [ACCOUNT_FILTER];

function columnsOf(onLift: (block: VerifyBlock) => void): readonly Column<VerifyBlock>[] {
  return [
    BLOCKED_PHONES,
    {
      name: "Account",
      width: "170px",
      wideOnly: true,
      cell: (row) =>
        row.account_id === null ? (
          <Badge tone="red" word="All: own numbers" />
        ) : (
          <AccountLink id={row.account_id} />
        ),
    },
    { name: "Mode", width: "70px", wideOnly: true, cell: (row) => row.mode },
    ...BLOCK_COLUMNS,
    {
      name: "",
      width: "76px",
      right: true,
      cell: (row) => (
        <Button size="small" onClick={() => onLift(row)}>
          Lift
        </Button>
      ),
    },
  ];
}

export function BlocksPage() {
  const { api } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["account_id"]);
  const [chosen, setChosen] = useState<VerifyBlock | null>(null);
  const lift = useAct(
    (block: VerifyBlock, context) =>
      context.api.operator.verifyBlocks.delete(
        block.prefix,
        block.account_id === null ? {} : { account_id: block.account_id },
      ),
    {
      stale: ["op-blocks"],
      onDone: () => {
        setChosen(null);
        toast("Lifted. Codes are sent again.");
      },
    },
  );
  return (
    <Page
      title="Fraud blocks"
      about="Ranges of phones that get no codes for a while, on suspected SMS pumping."
    >
      <FilterBar filters={FILTERS} />
      <List
        label="Blocks"
        source={{
          key: ["op-blocks", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.operator.verifyBlocks.list({ ...query, limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={columnsOf(setChosen)}
        empty={
          <Empty icon="shield" title="Nothing is blocked">
            When codes to one range of phones are asked for and never used, it is blocked for a
            while, and is listed here.
          </Empty>
        }
      />
      <Confirm
        title={`Lift the block of ${chosen?.prefix ?? ""}…?`}
        isOpen={chosen !== null}
        onClose={() => setChosen(null)}
        onConfirm={() => chosen && lift.mutate(chosen)}
        action="Lift the block"
        busy={lift.isPending}
        error={lift.error}
      >
        Codes to these phones are sent at once. The rules go on watching.
      </Confirm>
    </Page>
  );
}
