import type { Page as PageOf, VerifyBlock } from "@longwave/sdk";
import { useAccount } from "../../api/account.tsx";
import { consoleCall } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { type Column, List } from "../../lists/list.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { stringifySearch } from "../../ui/search-params.ts";
import { Time } from "../../ui/values.tsx";
import { ruleWords } from "./rules.ts";

const PAGE_ITEMS = 100;

/** Columns for every reader; the operator's list adds the account. */
export const BLOCKED_PHONES: Column<VerifyBlock> = {
  name: "Phones",
  width: "150px",
  cell: (row) => <span className="strong">{row.prefix}…</span>,
};

export const BLOCK_COLUMNS: readonly Column<VerifyBlock>[] = [
  {
    name: "Rule",
    width: "minmax(140px, 1fr)",
    wideOnly: true,
    cell: (row) => ruleWords(row.rule),
  },
  {
    name: "Since",
    width: "100px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.created_at} />,
  },
  { name: "Ends", width: "100px", right: true, cell: (row) => <Time at={row.expires_at} /> },
];

/** Blocks of fraud protection on the account's codes. Only the operator lifts a block. */
export function AccountBlocksPage() {
  const { account, mode, base } = useAccount();
  const { user } = useSession();
  return (
    <Page
      title="Fraud blocks"
      about="Ranges of phones that get none of your codes for a while, on suspected SMS pumping. A block ends by itself; ask the operator to lift one that is wrong."
      crumb={{ to: `${base}/verify`, label: "Verify" }}
      actions={
        user?.operator && (
          <ButtonLink to="/op/blocks" search={{ account_id: account.id }} icon="tower">
            Lift as the operator
          </ButtonLink>
        )
      }
    >
      <List
        label="Blocks"
        source={{
          key: ["verify-blocks"],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            consoleCall<PageOf<VerifyBlock>>(
              `/${account.id}/${mode}/verify-blocks${stringifySearch({ limit: PAGE_ITEMS, cursor })}`,
              { signal },
            ),
        }}
        columns={[BLOCKED_PHONES, ...BLOCK_COLUMNS]}
        grows={{ events: ["verification.blocked"] }}
        empty={
          <Empty icon="shield" title="Nothing is blocked">
            When codes to one range of phones are asked for and never used, it is blocked for a
            while, and is listed here.
          </Empty>
        }
      />
    </Page>
  );
}
