import { INVENTORY_LOAD_NUMBERS_MAX } from "@longwave/contract/tables";
import { ApiError, type OperatorInventoryCreateBody } from "@longwave/sdk";
import { useState } from "react";
import { useAct } from "../../api/queries.ts";
import { parseCsv } from "../../csv.ts";
import { FormDialog } from "../../ui/dialog.tsx";
import { AreaField } from "../../ui/field.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { toast } from "../../ui/toast.tsx";

type InventoryNumber = OperatorInventoryCreateBody["numbers"][number];

const SAMPLE = "phone_number,type,locality,region,carrier\n+14155550123,local,San Francisco,CA,";

function numbersOf(text: string): InventoryNumber[] {
  // Parse one row more than the limit: the server then refuses the whole file instead of losing
  // rows.
  const { columns, rows } = parseCsv(text, INVENTORY_LOAD_NUMBERS_MAX + 1);
  return rows.map((row) => {
    const cell = (name: string) => row[columns.indexOf(name)]?.trim() || null;
    return {
      phone_number: cell("phone_number") ?? "",
      // The server refuses unknown types.
      type: (cell("type") ?? "local") as InventoryNumber["type"],
      locality: cell("locality"),
      region: cell("region"),
      carrier: cell("carrier"),
    };
  });
}

/** Row of the error: `numbers[3].type` is the fourth row after the header. */
function wrongRow(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null;
  const [, index] = /^numbers\[(\d+)\]/.exec(error.param ?? "") ?? [];
  return index === undefined ? null : `Row ${formatCount(Number(index) + 1)}: ${error.message}`;
}

/** Loads numbers into the inventory, from a file or typed in. */
export function LoadNumbers(props: { onClose: () => void }) {
  const [text, setText] = useState("");
  const numbers = numbersOf(text);
  const load = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.operator.inventory.create({ numbers }, { idempotencyKey }),
    {
      stale: ["op-inventory"],
      onDone: (done) => {
        props.onClose();
        toast(`${plural(done.added, "number")} added, ${done.skipped} known already.`);
      },
    },
  );
  const write = (next: string) => {
    load.reset();
    setText(next);
  };
  const wrong = wrongRow(load.error);
  return (
    <FormDialog
      title="Load numbers"
      isOpen
      onClose={props.onClose}
      onSubmit={() => load.mutate(undefined)}
      submit={`Load ${plural(numbers.length, "number")}`}
      busy={load.isPending}
      disabled={numbers.length === 0}
      error={wrong === null ? load.error : null}
    >
      <FileDrop
        what="Choose a CSV file"
        accept=".csv,text/csv,text/plain"
        about={`At most ${formatCount(INVENTORY_LOAD_NUMBERS_MAX)} numbers.`}
        onFile={async (file) => {
          write(await file.text());
          return null;
        }}
      />
      <AreaField
        label="CSV"
        rows={8}
        placeholder={SAMPLE}
        help="The first line names the columns: phone_number, type (local or toll_free), locality, region, carrier."
        value={text}
        error={wrong}
        onChange={(event) => write(event.target.value)}
      />
    </FormDialog>
  );
}
