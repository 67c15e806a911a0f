import { HOOK_REQUEST_RETENTION_DAYS } from "@longwave/contract/tables";
import type { Hook, HookPreset } from "@longwave/sdk";
import { useParams } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Copy, Id } from "../../ui/copy.tsx";
import { formatPhone } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";
import { CallTable } from "./call-table.tsx";
import { HookActions } from "./hook-actions.tsx";
import { addressOf, PURPOSES, programOf, proofOf, senderOf, usePresets } from "./words.ts";

const CALLS_SHOWN = 100;
const REFETCH_MS = 3_000;

export function HookPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { base } = useAccount();
  const presets = usePresets();
  const hook = useRead(["hooks", id], (api, signal) => api.hooks.get(id, { signal }));
  const preset = presets.find(({ name }) => name === hook.data?.preset);
  return (
    <Page
      title={hook.data?.name ?? "Hook"}
      crumb={{ to: `${base}/hooks`, label: "Hooks" }}
      actions={hook.data && <HookActions hook={hook.data} sample={preset?.sample ?? ""} />}
    >
      <Loaded query={hook}>
        {(value) => (
          <div className="columns">
            <Calls hookId={value.id} />
            <div className="stack-wide">
              {preset && <Setup preset={preset} url={value.url} />}
              <Details hook={value} presets={presets} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Calls(props: { hookId: string }) {
  const { hookId } = props;
  const calls = useRead(
    ["hook-requests", hookId],
    (api, signal) => api.hooks.requests(hookId, { limit: CALLS_SHOWN }, { signal }),
    { refetchMs: REFETCH_MS },
  );
  return (
    <Card
      title="Calls"
      flush
      foot={
        <span>
          The newest {CALLS_SHOWN}. Kept for {HOOK_REQUEST_RETENTION_DAYS} days.
        </span>
      }
    >
      <Loaded query={calls}>{(page) => <CallTable calls={page.data} />}</Loaded>
    </Card>
  );
}

/** Places in the program for the address and the secret. */
function Setup(props: { preset: HookPreset; url: string }) {
  const { preset } = props;
  const address = addressOf(props.url);
  return (
    <Card title={`Set up ${preset.title}`}>
      <div className="stack">
        <p>{preset.setup}</p>
        <Address value={address} />
      </div>
    </Card>
  );
}

function Address(props: { value: string }) {
  return (
    <Copy text={props.value} label={`Address ${props.value}`}>
      <span className="mono wrap-anywhere" style={{ whiteSpace: "normal" }}>
        {props.value}
      </span>
    </Copy>
  );
}

function Paths(props: { paths: readonly string[] }) {
  return props.paths.map((path) => (
    <div key={path}>
      <code>{path}</code>
    </div>
  ));
}

function Details(props: { hook: Hook; presets: readonly HookPreset[] }) {
  const { hook } = props;
  const { declaration, recipients } = hook;
  return (
    <Card title="Details">
      <Facts
        facts={[
          {
            name: "State",
            value: <Status machine="endpoint" state={hook.active ? "active" : "paused"} />,
          },
          { name: "Id", value: <Id value={hook.id} /> },
          { name: "Program", value: programOf(hook, props.presets) },
          hook.preset === null
            ? { name: "Address", value: <Address value={addressOf(hook.url)} /> }
            : null,
          { name: "Proof of a call", value: <code>{proofOf(declaration)}</code> },
          { name: "From", value: senderOf(hook) },
          declaration.to ? { name: "To", value: <Paths paths={declaration.to} /> } : null,
          recipients.length === 0
            ? null
            : { name: "Recipients", value: recipients.map(formatPhone).join(", ") },
          { name: "Text", value: <code>{declaration.body}</code> },
          {
            name: "Purpose",
            value: PURPOSES.find(({ value }) => value === declaration.purpose)?.label,
          },
          {
            name: "Limits",
            value: `${hook.messages_per_minute} a minute, ${hook.messages_per_phone_hour} an hour to one phone`,
          },
          { name: "Created", value: <Time at={hook.created_at} /> },
        ]}
      />
    </Card>
  );
}
