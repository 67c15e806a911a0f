import { SCOPE_NAMES, SCOPES, type Scope } from "@longwave/contract/tables";
import { ApiError, type ApiKey } from "@longwave/sdk";
import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useConsoleAct } from "../../api/console-queries.ts";
import { serverMs } from "../../clock.ts";
import { FormDialog } from "../../ui/dialog.tsx";
import {
  CheckField,
  errorAt,
  errorBeside,
  Segmented,
  SelectField,
  TextField,
} from "../../ui/field.tsx";

const DAY_MS = 86_400_000;
const EXPIRIES = [
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
];

/** The server's error about one of the addresses. */
function errorAtAddresses(error: unknown): string | null {
  return error instanceof ApiError && error.param?.startsWith("allowed_ips") ? error.message : null;
}

export function NewKeyDialog(props: { onClose: () => void; onMade: (key: string | null) => void }) {
  const { mode: pageMode } = useAccount();
  const [name, setName] = useState("");
  const [mode, setMode] = useState<"test" | "live">(pageMode);
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const mint = useConsoleAct<ApiKey>("keys", (made) => props.onMade(made.key));
  const toggle = (scope: Scope, isOn: boolean) =>
    setScopes(isOn ? [...scopes, scope] : scopes.filter((each) => each !== scope));
  const [days, setDays] = useState("");
  const [networks, setNetworks] = useState("");
  const allowed = networks.split(/[\s,]+/).filter(Boolean);
  const body = {
    mode,
    name: name || null,
    scopes: scopes.length === 0 ? null : scopes,
    ...(days === "" ? {} : { expires_at: serverMs() + Number(days) * DAY_MS }),
    ...(allowed.length === 0 ? {} : { allowed_ips: allowed }),
  };
  return (
    <FormDialog
      title="New key"
      isOpen
      onClose={props.onClose}
      onSubmit={() => mint.mutate({ path: "/keys", method: "POST", body })}
      submit="Create the key"
      busy={mint.isPending}
      error={errorAtAddresses(mint.error) === null ? errorBeside(mint.error, ["name"]) : null}
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
      <SelectField
        label="Expires"
        value={days}
        blank="Never"
        choices={EXPIRIES}
        onChange={(event) => setDays(event.target.value)}
      />
      <TextField
        label="Allowed IP addresses"
        optional
        placeholder="203.0.113.7, 198.51.100.0/24"
        help="Calls from other addresses are refused. Empty: any address."
        value={networks}
        error={errorAtAddresses(mint.error)}
        onChange={(event) => setNetworks(event.target.value)}
      />
    </FormDialog>
  );
}
