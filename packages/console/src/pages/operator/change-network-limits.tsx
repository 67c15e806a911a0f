import type { OperatorRegistration } from "@longwave/sdk";
import { useState } from "react";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { errorAt, TextField } from "../../ui/field.tsx";
import { toast } from "../../ui/toast.tsx";

interface Row {
  readonly key: number;
  readonly network: string;
  readonly perMinute: string;
  readonly perDay: string;
}

const EMPTY = { network: "", perMinute: "", perDay: "" };

function rowsOf({ limits }: OperatorRegistration): Row[] {
  const rows = limits.map((each, key) => ({
    key,
    network: each.network,
    perMinute: String(each.segments_per_minute ?? ""),
    perDay: String(each.segments_per_day ?? ""),
  }));
  return rows.length > 0 ? rows : [{ key: 0, ...EMPTY }];
}

const isBlank = ({ network, perMinute, perDay }: Row) => `${network}${perMinute}${perDay}` === "";
const numberOf = (text: string) => (text.trim() === "" ? null : Number(text));

/** The operator's limits of a registration; they replace those of the registry. */
export function ChangeNetworkLimits(props: { registration: OperatorRegistration }) {
  const { registration } = props;
  const [rows, setRows] = useState<readonly Row[] | null>(null);
  const save = useAct(
    (given: readonly Row[], { api }) =>
      api.operator.registrations.limit(registration.id, {
        limits: given.map(({ network, perMinute, perDay }) => ({
          network: network.trim(),
          segments_per_minute: numberOf(perMinute),
          segments_per_day: numberOf(perDay),
        })),
      }),
    {
      stale: ["op-reviews"],
      onDone: () => {
        setRows(null);
        toast("Saved.");
      },
    },
  );
  const set = (key: number, part: Partial<Row>) =>
    setRows((rows ?? []).map((row) => (row.key === key ? { ...row, ...part } : row)));
  const nextKey = Math.max(-1, ...(rows ?? []).map(({ key }) => key)) + 1;
  return (
    <>
      <Button size="small" onClick={() => setRows(rowsOf(registration))}>
        Change
      </Button>
      <FormDialog
        title="Rates and daily caps"
        isOpen={rows !== null}
        onClose={() => setRows(null)}
        onSubmit={() => save.mutate((rows ?? []).filter((row) => !isBlank(row)))}
        submit="Save"
        busy={save.isPending}
        error={save.error}
      >
        <p className="muted">
          In segments, as each network granted them. They replace the limits of the registry.
        </p>
        {rows?.map((row, at) => (
          <div key={row.key} className="row-apart">
            <TextField
              label="Network"
              placeholder="AT&T"
              value={row.network}
              error={errorAt(save.error, `limits[${at}].network`)}
              onChange={(event) => set(row.key, { network: event.target.value })}
            />
            <TextField
              label="A minute"
              optional
              inputMode="numeric"
              pattern="[0-9]*"
              value={row.perMinute}
              error={errorAt(save.error, `limits[${at}].segments_per_minute`)}
              onChange={(event) => set(row.key, { perMinute: event.target.value })}
            />
            <TextField
              label="A day"
              optional
              inputMode="numeric"
              pattern="[0-9]*"
              value={row.perDay}
              error={errorAt(save.error, `limits[${at}].segments_per_day`)}
              onChange={(event) => set(row.key, { perDay: event.target.value })}
            />
            <Button
              kind="ghost"
              icon="x"
              aria-label={`Remove ${row.network === "" ? "the network" : row.network}`}
              onClick={() => setRows(rows.filter(({ key }) => key !== row.key))}
            />
          </div>
        ))}
        <div className="row">
          <Button onClick={() => setRows([...(rows ?? []), { key: nextKey, ...EMPTY }])}>
            Add a network
          </Button>
        </div>
      </FormDialog>
    </>
  );
}
