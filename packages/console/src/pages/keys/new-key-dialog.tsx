import { SCOPE_NAMES, SCOPES, type Scope } from "@longwave/contract/tables";
import type { ApiKey } from "@longwave/sdk";
import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useConsoleAct } from "../../api/console-queries.ts";
import { FormDialog } from "../../ui/dialog.tsx";
import { CheckField, errorAt, errorBeside, Segmented, TextField } from "../../ui/field.tsx";

export function NewKeyDialog(props: { onClose: () => void; onMade: (key: string | null) => void }) {
  const { mode: pageMode } = useAccount();
  const [name, setName] = useState("");
  const [mode, setMode] = useState<"test" | "live">(pageMode);
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const mint = useConsoleAct<ApiKey>("keys", (made) => props.onMade(made.key));
  const toggle = (scope: Scope, isOn: boolean) =>
    setScopes(isOn ? [...scopes, scope] : scopes.filter((each) => each !== scope));
  const body = { mode, name: name || null, scopes: scopes.length === 0 ? null : scopes };
  return (
    <FormDialog
      title="New key"
      isOpen
      onClose={props.onClose}
      onSubmit={() => mint.mutate({ path: "/keys", method: "POST", body })}
      submit="Create the key"
      busy={mint.isPending}
      error={errorBeside(mint.error, ["name"])}
    >
      <TextField
        label="Name"
        optional
        placeholder="Checkout service"
        value={name}
        error={errorAt(mint.error, "name")}
        onChange={(event) => setName(event.target.value)}
      />
      <Segmented
        label="Mode"
        value={mode}
        choices={[
          { value: "test", label: "Test" },
          { value: "live", label: "Live" },
        ]}
        onChange={setMode}
      />
      <CheckField
        label="Full access"
        help="Clear to choose single permissions."
        checked={scopes.length === 0}
        onChange={(isAll) => setScopes(isAll ? [] : ["messages:send"])}
      />
      {scopes.length > 0 && (
        <div className="stack-tight" style={{ maxHeight: 240, overflow: "auto", paddingLeft: 24 }}>
          {SCOPE_NAMES.map((scope) => (
            <CheckField
              key={scope}
              label={<code>{scope}</code>}
              help={SCOPES[scope]}
              checked={scopes.includes(scope)}
              onChange={(isOn) => toggle(scope, isOn)}
            />
          ))}
        </div>
      )}
    </FormDialog>
  );
}
