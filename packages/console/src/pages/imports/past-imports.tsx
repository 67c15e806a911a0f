import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { formatCount } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { Status } from "../../ui/status.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/values.tsx";
import { type AccountImport, imports } from "./calls.ts";
import { providerTitle } from "./words.ts";

const SHOWN = 10;

/** Past imports and previews, stored for 90 days. */
export function PastImports(props: { onChosen: (id: string) => void }) {
  const past = useRead(["imports", "list"], (api, signal) =>
    imports.list(api, { limit: SHOWN }, { signal }),
  );
  return (
    <Loaded query={past}>
      {(page) =>
        page.data.length === 0 ? null : (
          <Card title="Before" flush>
            <Table
              label="Imports and previews"
              bare
              rows={page.data}
              keyOf={(run) => run.id}
              columns={[
                {
                  name: "Import",
                  cell: (run) => (
                    <span className="strong">
                      {providerTitle(run.provider)} {run.dry_run ? "preview" : "import"}
                    </span>
                  ),
                },
                {
                  name: "Status",
                  cell: (run) => <Status machine="account_import" state={run.status} />,
                },
                { name: "Numbers", right: true, cell: (run) => formatCount(countOf(run)) },
                { name: "Started", right: true, cell: (run) => <Time at={run.created_at} /> },
                {
                  name: "Open",
                  nameless: true,
                  right: true,
                  cell: (run) => (
                    <Button size="small" onClick={() => props.onChosen(run.id)}>
                      See it
                    </Button>
                  ),
                },
              ]}
            />
          </Card>
        )
      }
    </Loaded>
  );
}

function countOf(run: AccountImport): number {
  return run.numbers.filter(({ action }) => action === "create").length;
}
