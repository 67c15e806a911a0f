import {
  HOOK_MESSAGES_PER_MINUTE_DEFAULT,
  HOOK_MESSAGES_PER_MINUTE_MAX,
  HOOK_MESSAGES_PER_PHONE_HOUR_DEFAULT,
  HOOK_MESSAGES_PER_PHONE_HOUR_MAX,
  HOOK_RECIPIENTS_MAX,
  MESSAGE_BODY_CHARS_MAX,
  NAME_CHARS_MAX,
} from "@longwave/contract/tables";
import { ApiError, type Hook, type HookPreset, type HookWithSecret } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { FormDialog } from "../../ui/dialog.tsx";
import { AreaField, CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { toast } from "../../ui/toast.tsx";
import { SenderField } from "../numbers/sender-field.tsx";
import { DeclarationFields } from "./declaration-fields.tsx";
import {
  createBody,
  declarationOf,
  EMPTY_FORM,
  formOf,
  type HookForm,
  InvalidJson,
  updateBody,
  withPreset,
} from "./hook-form.ts";
import { HookSecret } from "./hook-secret.tsx";
import { usePresets } from "./words.ts";

/** Makes a hook, shows its secret once, then opens its page. */
export function NewHook(props: { onClose: () => void }) {
  const { base } = useAccount();
  const navigate = useNavigate();
  const presets = usePresets();
  const [form, setForm] = useState(EMPTY_FORM);
  const [made, setMade] = useState<HookWithSecret | null>(null);
  const create = useAct(
    async (_: undefined, { api, idempotencyKey }) =>
      api.hooks.create(createBody(form, presets), { idempotencyKey }),
    { stale: ["hooks"], onDone: setMade },
  );
  if (made !== null) {
    const open = () => void navigate({ to: `${base}/hooks/${made.id}`, search: {} } as never);
    return <HookSecret made={made} onClose={open} />;
  }
  const program = (
    <SelectField
      label="Program"
      value={form.preset}
      blank="Another one: describe its calls"
      choices={presets.map(({ name, title }) => ({ value: name, label: title }))}
      onChange={(event) => setForm(withPreset(form, event.target.value, presets))}
    />
  );
  return (
    <HookFormDialog
      title="New hook"
      submit="Create the hook"
      form={form}
      setForm={setForm}
      presets={presets}
      save={create}
      onClose={props.onClose}
      program={program}
    />
  );
}

export function EditHook(props: { hook: Hook; onClose: () => void }) {
  const { hook } = props;
  const presets = usePresets();
  const [form, setForm] = useState(() => formOf(hook));
  const save = useAct(
    async (_: undefined, { api }) => api.hooks.update(hook.id, updateBody(form, hook)),
    {
      stale: ["hooks"],
      onDone: (saved) => {
        toast(`${saved.name} is saved.`);
        props.onClose();
      },
    },
  );
  return (
    <HookFormDialog
      title={`Edit ${hook.name}`}
      submit="Save"
      form={form}
      setForm={setForm}
      presets={presets}
      save={save}
      onClose={props.onClose}
    />
  );
}

/** Names of the fields that show the server's error about them. */
const SHOWN = [
  ...["name", "from", "recipients", "declaration", "body", "secret"],
  ...["messages_per_minute", "messages_per_phone_hour"],
];

/** The error about a field or a part of it. The text of a declaration has a field of its own. */
function errorIn(error: unknown, name: string, isJson: boolean): string | null {
  if (error instanceof InvalidJson) return name === "declaration" ? error.message : null;
  if (!(error instanceof ApiError) || error.param === null) return null;
  const param = error.param === "declaration.body" && !isJson ? "body" : error.param;
  return param.split(/[.[]/)[0] === name ? error.message : null;
}

function HookFormDialog(props: {
  title: string;
  submit: string;
  form: HookForm;
  setForm: (form: HookForm) => void;
  presets: readonly HookPreset[];
  save: { mutate: (input: undefined) => void; isPending: boolean; error: unknown };
  onClose: () => void;
  program?: ReactNode;
}) {
  const { form, save } = props;
  const set = (change: Partial<HookForm>) => props.setForm({ ...form, ...change });
  const preset = props.presets.find(({ name }) => name === form.preset);
  const error = (name: string) => errorIn(save.error, name, form.json !== null);
  const isBeside = save.error !== null && SHOWN.every((name) => error(name) === null);
  return (
    <FormDialog
      title={props.title}
      isOpen
      onClose={props.onClose}
      onSubmit={() => save.mutate(undefined)}
      submit={props.submit}
      busy={save.isPending}
      error={isBeside ? save.error : null}
    >
      {props.program}
      <TextField
        label="Name"
        required
        maxLength={NAME_CHARS_MAX}
        value={form.name}
        error={error("name")}
        onChange={(event) => set({ name: event.target.value })}
      />
      <SenderField value={form.from} error={error("from")} onChange={(from) => set({ from })} />
      <Declared form={form} set={set} error={error} isPreset={preset !== undefined} />
      <Limits form={form} set={set} error={error} preset={preset} />
    </FormDialog>
  );
}

interface PartProps {
  readonly form: HookForm;
  readonly set: (change: Partial<HookForm>) => void;
  readonly error: (name: string) => string | null;
}

/** How a call becomes a message: as fields, or the whole declaration as JSON. */
function Declared(props: PartProps & { isPreset: boolean }) {
  const { form, set, error } = props;
  const isJson = form.json !== null;
  return (
    <>
      {!isJson && !props.isPreset && (
        <DeclarationFields
          value={form.declaration}
          error={error("declaration")}
          onChange={(declaration) => set({ declaration })}
        />
      )}
      {!isJson && (
        <AreaField
          label="Text"
          required
          rows={2}
          maxLength={MESSAGE_BODY_CHARS_MAX}
          help="{{path}} is a value of the call; {{a|b}} is the first of two that has one."
          value={form.declaration.body}
          error={error("body")}
          onChange={(event) =>
            set({ declaration: { ...form.declaration, body: event.target.value } })
          }
        />
      )}
      {isJson && (
        <AreaField
          label="Declaration"
          required
          rows={12}
          className="textarea mono"
          spellCheck={false}
          value={form.json ?? ""}
          error={error("declaration")}
          onChange={(event) => set({ json: event.target.value })}
        />
      )}
      <CheckField
        label="Edit the declaration as JSON"
        help="For lists, conditions, signatures and answers."
        checked={isJson}
        onChange={(isOn) => set(isOn ? { json: jsonOf(form) } : fieldsOf(form))}
      />
    </>
  );
}

function Limits(props: PartProps & { preset: HookPreset | undefined }) {
  const { form, set, error, preset } = props;
  return (
    <>
      <RecipientsField
        isNeeded={form.json === null && !form.declaration.to}
        value={form.recipients}
        error={error("recipients")}
        onChange={(recipients) => set({ recipients })}
      />
      <SecretField
        title={preset?.secret_from_program ? preset.title : null}
        value={form.secret}
        error={error("secret")}
        onChange={(secret) => set({ secret })}
      />
      <TextField
        label="Messages a minute"
        optional
        type="number"
        min={1}
        max={HOOK_MESSAGES_PER_MINUTE_MAX}
        placeholder={String(HOOK_MESSAGES_PER_MINUTE_DEFAULT)}
        value={form.perMinute}
        error={error("messages_per_minute")}
        onChange={(event) => set({ perMinute: event.target.value })}
      />
      <TextField
        label="Messages an hour to one phone"
        optional
        type="number"
        min={1}
        max={HOOK_MESSAGES_PER_PHONE_HOUR_MAX}
        placeholder={String(HOOK_MESSAGES_PER_PHONE_HOUR_DEFAULT)}
        value={form.perPhoneHour}
        error={error("messages_per_phone_hour")}
        onChange={(event) => set({ perPhoneHour: event.target.value })}
      />
    </>
  );
}

function jsonOf({ declaration }: HookForm): string {
  return JSON.stringify(declaration, null, 2);
}

/** Back to the fields, with what was typed if that can be read. */
function fieldsOf(form: HookForm): Partial<HookForm> {
  try {
    return { json: null, declaration: declarationOf(form) };
  } catch {
    return { json: null };
  }
}

interface TypedField {
  readonly value: string;
  readonly error: string | null;
  readonly onChange: (value: string) => void;
}

function RecipientsField(props: TypedField & { isNeeded: boolean }) {
  return (
    <TextField
      label="Recipients"
      optional={!props.isNeeded}
      required={props.isNeeded}
      placeholder="+14155550123, +14155550124"
      help={
        props.isNeeded
          ? `The calls name no phone. At most ${HOOK_RECIPIENTS_MAX}, with commas between them.`
          : "Of calls that name no phone."
      }
      value={props.value}
      error={props.error}
      onChange={(event) => props.onChange(event.target.value)}
    />
  );
}

/** `title`: the program that makes the secret, if one does. */
function SecretField(props: TypedField & { title: string | null }) {
  return (
    <TextField
      label="Secret of the program"
      optional
      autoComplete="off"
      help={
        props.title === null
          ? "Only where the program makes one. Otherwise leave it empty."
          : `${props.title} makes the secret. Leave it empty now, and edit the hook once you know it.`
      }
      value={props.value}
      error={props.error}
      onChange={(event) => props.onChange(event.target.value)}
    />
  );
}
