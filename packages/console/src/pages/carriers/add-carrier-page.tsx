import type { CarrierPreset } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { CheckField, errorAt, errorBeside, SelectField, TextField } from "../../ui/field.tsx";
import { Card, Page } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";

const CRUMB = { to: "/op/carriers", label: "Carriers" };

/** Adds a provider to the carriers file, once the provider took the key. */
export function AddCarrierPage() {
  const presets = useRead(["op-carrier-presets"], (api, signal) =>
    api.operator.carriers.presets({ signal }),
  );
  return (
    <Page
      title="Add carrier"
      about="A provider with an HTTP API. SMPP and other carriers are written into the carriers file."
      crumb={CRUMB}
      narrow
    >
      <Loaded query={presets}>
        {(known) => <AddCarrier presets={known.presets} publicUrl={known.public_url} />}
      </Loaded>
    </Page>
  );
}

function AddCarrier(props: { presets: readonly CarrierPreset[]; publicUrl: string | null }) {
  const { presets, publicUrl } = props;
  const [type, setType] = useState("");
  const preset = presets.find((each) => each.type === type);
  return (
    <div className="stack-wide">
      <Card title="Provider">
        <SelectField
          label="Provider"
          required
          value={type}
          blank="Choose one"
          choices={presets.map((each) => ({ value: each.type, label: each.title }))}
          onChange={(event) => setType(event.target.value)}
        />
      </Card>
      {preset && (
        <>
          <Reach preset={preset} publicUrl={publicUrl} />
          <CredentialsForm
            key={preset.type}
            preset={preset}
            isReachable={publicUrl !== null || preset.can_poll}
          />
        </>
      )}
    </div>
  );
}

/** How the provider's receipts and replies arrive on a server without a public address. */
function Reach(props: { preset: CarrierPreset; publicUrl: string | null }) {
  const { preset } = props;
  if (props.publicUrl !== null) return null;
  if (preset.can_poll) {
    return (
      <Note tone="blue">
        The server has no public address, so it reads the lists of {preset.title}: for receipts, and
        for replies where they are listed.
      </Note>
    );
  }
  return (
    <Note tone="red">
      {preset.title} must be able to call the server. Set LONGWAVE_PUBLIC_URL to its public address,
      and restart it.
    </Note>
  );
}

function CredentialsForm(props: { preset: CarrierPreset; isReachable: boolean }) {
  const { preset } = props;
  const navigate = useNavigate();
  const [name, setName] = useState(preset.type);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [baseUrl, setBaseUrl] = useState("");
  const [isPrivate, setIsPrivate] = useState(false);
  const add = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.operator.carriers.create(
        {
          name,
          preset: preset.type,
          fields: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")),
          ...(baseUrl === "" ? {} : { base_url: baseUrl.trim() }),
          ...(isPrivate ? { private_address: true } : {}),
        },
        { idempotencyKey },
      ),
    {
      stale: ["op-carriers"],
      onDone: (entry) => {
        toast(
          `${entry.name} is in ${entry.file}${preset.reads_numbers ? ", and its key works" : ""}.`,
        );
        void navigate({ to: `/op/carriers/${entry.name}`, search: {} } as never);
      },
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(undefined);
  };
  const fieldError = (field: string) =>
    errorAt(add.error, field) ?? errorAt(add.error, `fields.${field}`);
  const shown = preset.fields.flatMap((field) => [field.name, `fields.${field.name}`]);
  const beside = errorBeside(add.error, ["name", "base_url", ...shown]);
  return (
    <Card
      title={`Your account at ${preset.title}`}
      foot={`The entry goes into the carriers file, its secrets into a private file beside it.${preset.reads_numbers ? " The key is checked first." : ""}`}
    >
      <form className="stack" onSubmit={submit} autoComplete="off">
        <p>{preset.before}</p>
        {preset.fields.map((field) => (
          <TextField
            key={field.name}
            label={field.about}
            required={field.is_required}
            optional={!field.is_required}
            type={field.is_secret ? "password" : "text"}
            autoComplete="off"
            placeholder={field.default ?? undefined}
            value={values[field.name] ?? ""}
            error={fieldError(field.name)}
            onChange={(event) => setValues({ ...values, [field.name]: event.target.value })}
          />
        ))}
        <ApiOrigin
          isNeeded={preset.needs_base_url}
          url={baseUrl}
          onUrl={setBaseUrl}
          isPrivate={isPrivate}
          onPrivate={setIsPrivate}
          error={errorAt(add.error, "base_url")}
        />
        <TextField
          label="Name in the carriers file"
          required
          pattern="[A-Za-z0-9_\-]{1,40}"
          value={name}
          error={errorAt(add.error, "name")}
          onChange={(event) => setName(event.target.value)}
        />
        {beside !== null && <ErrorBox error={beside} />}
        <div className="row">
          <Button type="submit" kind="primary" busy={add.isPending} disabled={!props.isReachable}>
            {preset.reads_numbers ? "Check the key and add it" : "Add the carrier"}
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** Origin of the provider's API, where each customer has an own one or a double takes its place. */
function ApiOrigin(props: {
  isNeeded: boolean;
  url: string;
  onUrl: (url: string) => void;
  isPrivate: boolean;
  onPrivate: (isPrivate: boolean) => void;
  error: string | null;
}) {
  const { isNeeded } = props;
  return (
    <>
      <TextField
        label="Origin of the API"
        required={isNeeded}
        optional={!isNeeded}
        type="url"
        placeholder="https://"
        help={isNeeded ? undefined : "Only where it is not the provider's usual one."}
        value={props.url}
        error={props.error}
        onChange={(event) => props.onUrl(event.target.value)}
      />
      {(isNeeded || props.url !== "") && (
        <CheckField
          label="The origin may have a private address"
          help="A phone in your network, or a test double."
          checked={props.isPrivate}
          onChange={props.onPrivate}
        />
      )}
    </>
  );
}
