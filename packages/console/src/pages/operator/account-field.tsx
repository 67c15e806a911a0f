import type { OperatorAccount } from "@longwave/sdk";
import { useState } from "react";
import { useRead } from "../../api/queries.ts";
import type { FilterSpec } from "../../lists/filter-bar.tsx";
import { Combobox } from "../../ui/combobox.tsx";
import { shortId } from "../../ui/copy.tsx";
import { Field } from "../../ui/field.tsx";
import { usePaused } from "../../ui/use-pause.ts";
import { useAccountName } from "./account-name.tsx";

const CHOICES_MAX = 8;
/** An id that somebody pasted. */
const ID = /^acct_\w{26}$/;

/** Accounts whose names contain what was typed. */
function useAccountsNamed(text: string): readonly OperatorAccount[] {
  const q = usePaused(text.trim());
  const read = useRead(
    ["op-accounts", "pick", q],
    (api, signal) => api.operator.accounts.list({ q: q ?? "", limit: CHOICES_MAX }, { signal }),
    { enabled: q !== null && q !== "" },
  );
  return q === null || q === "" ? [] : (read.data?.data ?? []);
}

interface PickerProps {
  /** Id of the chosen account; "" for none. */
  readonly value: string;
  readonly onChange: (accountId: string) => void;
}

function AccountPicker(props: PickerProps & { label?: string; required?: boolean }) {
  const { value, onChange, label, ...control } = props;
  const name = useAccountName(value);
  const [typed, setTyped] = useState<string | null>(null);
  const accounts = useAccountsNamed(typed ?? "");
  return (
    <Combobox
      {...control}
      {...(label === undefined ? {} : { "aria-label": label })}
      listLabel="Accounts"
      placeholder={label ?? "Name of the account"}
      value={typed ?? (value === "" ? "" : (name ?? shortId(value)))}
      choices={accounts.map((account) => ({
        key: account.id,
        label: (
          <>
            <span className="cut grow">{account.name}</span>
            <span className="meta">{shortId(account.id)}</span>
          </>
        ),
      }))}
      onType={(text) => {
        const id = text.trim();
        setTyped(ID.test(id) ? null : text);
        if (ID.test(id)) onChange(id);
        else if (id === "" || value !== "") onChange("");
      }}
      onPick={({ key }) => {
        setTyped(null);
        onChange(key);
      }}
      onLeave={() => setTyped(null)}
    />
  );
}

/** Field of a form that names an account, found by its name. */
export function AccountField(props: PickerProps & { error: string | null }) {
  const { error, ...picker } = props;
  return (
    <Field label="Account" error={error}>
      {(control) => <AccountPicker {...picker} {...control} required />}
    </Field>
  );
}

/** Filter of a list by the account, found by its name. */
export const ACCOUNT_FILTER: FilterSpec = {
  name: "account_id",
  label: "Any account",
  kind: "own",
  control: (value, onChange) => (
    <AccountPicker label="Any account" value={value} onChange={onChange} />
  ),
};
