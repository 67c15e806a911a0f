import type { Erasure } from "@longwave/sdk";
import { type FormEvent, useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { saveFile } from "../../ui/files.ts";
import { formatCount, formatPhone, plural } from "../../ui/format.ts";
import { Card, Page } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { EraseDialog } from "./erase-dialog.tsx";

const PAGE_ITEMS = 100;
const FILTERS: readonly FilterSpec[] = [{ name: "phone_number", label: "Phone", kind: "phone" }];

const recordsOf = (erasure: Erasure): number =>
  erasure.report.reduce((sum, { records }) => sum + records, 0);

const COLUMNS: readonly Column<Erasure>[] = [
  {
    name: "Number",
    width: "minmax(150px, 1fr)",
    cell: (row) => (
      <span className="strong">
        {row.phone_number === null ? "Erased" : formatPhone(row.phone_number)}
      </span>
    ),
  },
  {
    name: "Status",
    width: "130px",
    cell: (row) => <Status machine="erasure" state={row.status} />,
  },
  {
    name: "Records",
    width: "100px",
    right: true,
    wideOnly: true,
    cell: (row) => formatCount(recordsOf(row)),
  },
  {
    name: "Note",
    width: "minmax(120px, 1fr)",
    wideOnly: true,
    cell: (row) => <span className="muted">{row.note ?? "–"}</span>,
  },
  {
    name: "Asked",
    width: "112px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.created_at} />,
  },
];

/** Answers to people who ask what is stored about their number, or want it gone. */
export function PersonalDataPage() {
  const { api, base } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["phone_number"]);
  return (
    <Page
      title="Personal data"
      about="Data about one phone number in this mode, and its erasure everywhere, in both modes."
    >
      <div className="stack-wide">
        <OnePerson />
        <FilterBar filters={FILTERS} />
        <List
          label="Erasures"
          source={{
            key: ["erasures", query],
            pageItems: PAGE_ITEMS,
            fetch: (cursor, signal) =>
              api.erasures.list({ ...(query as object), limit: PAGE_ITEMS, cursor }, { signal }),
          }}
          columns={COLUMNS}
          linkOf={(row) => `${base}/personal-data/${row.id}`}
          empty={
            <Empty icon="trash" title="Nothing was erased">
              An erased number is found again here by the number itself: a hash of it is kept.
            </Empty>
          }
        />
      </div>
    </Page>
  );
}

function OnePerson() {
  const [phone, setPhone] = useState("");
  const [isErasing, setIsErasing] = useState(false);
  const read = useAct((_: undefined, { api }) => api.personalData.get(phone), {
    onDone: (data) => {
      if (data.places.length === 0) {
        toast(`Nothing is stored about ${formatPhone(data.phone_number)}.`);
        return;
      }
      const name = `personal-data-${data.phone_number}.json`;
      saveFile(name, "application/json", JSON.stringify(data, null, 2));
      toast(`Downloaded: ${plural(data.places.length, "kind")} of records.`);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    read.mutate(undefined);
  };
  return (
    <Card title="One person">
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Phone"
          required
          inputMode="tel"
          placeholder="+14155550123"
          value={phone}
          error={errorAt(read.error, "phone")}
          onChange={(event) => setPhone(event.target.value)}
        />
        {errorBeside(read.error, ["phone"]) ? <ErrorBox error={read.error} /> : null}
        <div className="row">
          <Button type="submit" icon="download" busy={read.isPending}>
            Download what is stored
          </Button>
          <Button
            kind="danger"
            icon="trash"
            disabled={phone.trim() === ""}
            onClick={() => setIsErasing(true)}
          >
            Erase the number
          </Button>
        </div>
      </form>
      {isErasing && <EraseDialog phone={phone} onClose={() => setIsErasing(false)} />}
    </Card>
  );
}
