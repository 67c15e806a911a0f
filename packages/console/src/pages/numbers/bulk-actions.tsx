import { csvRow } from "@longwave/contract/tables";
import type { PhoneNumber } from "@longwave/sdk";
import { useState } from "react";
import { useHasRole } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { actOnEach, namesOf } from "../../lists/selection.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/field.tsx";
import { saveFile } from "../../ui/files.ts";
import { formatPhone, plural } from "../../ui/format.ts";
import { toast } from "../../ui/toast.tsx";
import { useCustomerChoices } from "../customers/use-customer-names.ts";

interface Selected {
  readonly selected: readonly PhoneNumber[];
  readonly clear: () => void;
}

/** Actions on the selected numbers: assign to a customer, export. */
export function NumberBulkActions(props: Selected) {
  const isAdmin = useHasRole("admin");
  const customers = useCustomerChoices();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      {customers.length > 0 && (
        <Button size="small" icon="building" onClick={() => setIsOpen(true)}>
          Assign
        </Button>
      )}
      {isAdmin && (
        <Button size="small" icon="download" onClick={() => save(props.selected)}>
          Export
        </Button>
      )}
      {isOpen && <AssignDialog {...props} onClose={() => setIsOpen(false)} />}
    </>
  );
}

const COLUMNS = [
  "phone_number",
  "label",
  "type",
  "locality",
  "region",
  "country",
  "customer_id",
  "tags",
  "sender",
  "purchased_at",
] as const;

function save(numbers: readonly PhoneNumber[]): void {
  const rows = numbers.map((number) => {
    const cells = { ...number, tags: number.tags.join(";"), sender: number.sender.state };
    return csvRow(COLUMNS.map((column) => cells[column]));
  });
  saveFile("numbers.csv", "text/csv", [csvRow(COLUMNS), ...rows].join(""));
}

function AssignDialog(props: Selected & { onClose: () => void }) {
  const { selected, clear } = props;
  const customers = useCustomerChoices();
  const [customer, setCustomer] = useState("");
  const assign = useAct(
    (_: undefined, { api }) =>
      actOnEach(selected, ({ phone_number }) =>
        api.numbers.update(phone_number, { customer_id: customer === "" ? null : customer }),
      ),
    {
      stale: ["numbers", "number"],
      onDone: ({ done, errors }) => {
        props.onClose();
        clear();
        const failed =
          errors.length === 0 ? "" : ` ${plural(errors.length, "number")} could not be.`;
        toast(`${plural(done, "number")} assigned.${failed}`);
      },
    },
  );
  const count = plural(selected.length, "number");
  return (
    <FormDialog
      title={`Assign ${count}`}
      isOpen
      onClose={props.onClose}
      onSubmit={() => assign.mutate(undefined)}
      submit={`Assign ${count}`}
      busy={assign.isPending}
      error={assign.error}
    >
      <p className="muted">
        {namesOf(selected.map(({ phone_number }) => formatPhone(phone_number)))}
      </p>
      <SelectField
        label="Customer"
        blank="Not assigned"
        help="Texts of these numbers carry the customer from now on."
        value={customer}
        choices={customers}
        onChange={(event) => setCustomer(event.target.value)}
      />
    </FormDialog>
  );
}
