import type {
  Hook,
  HookDeclaration,
  HookPreset,
  HooksCreateBody,
  HooksUpdateBody,
} from "@longwave/sdk";

/** Fields of a hook as typed. */
export interface HookForm {
  readonly name: string;
  readonly from: string;
  /** Name of a preset; empty: a declaration of the account's own. */
  readonly preset: string;
  readonly declaration: HookDeclaration;
  /** The declaration as typed JSON; null while its fields are edited. */
  readonly json: string | null;
  readonly recipients: string;
  readonly secret: string;
  readonly perMinute: string;
  readonly perPhoneHour: string;
}

export const BEARER = { type: "token", header: "authorization", prefix: "Bearer " } as const;

export const OWN_DECLARATION: HookDeclaration = {
  purpose: "messages",
  to: ["phone"],
  body: "{{text}}",
  signature: BEARER,
};

export const EMPTY_FORM: HookForm = {
  name: "",
  from: "",
  preset: "",
  declaration: OWN_DECLARATION,
  json: null,
  recipients: "",
  secret: "",
  perMinute: "",
  perPhoneHour: "",
};

export function formOf(hook: Hook): HookForm {
  return {
    name: hook.name,
    from: hook.from,
    preset: hook.preset ?? "",
    declaration: hook.declaration,
    json: null,
    recipients: hook.recipients.join(", "),
    secret: "",
    perMinute: String(hook.messages_per_minute),
    perPhoneHour: String(hook.messages_per_phone_hour),
  };
}

/** Starts the form over from a preset; the name follows while it is a program's. */
export function withPreset(
  form: HookForm,
  preset: string,
  presets: readonly HookPreset[],
): HookForm {
  const chosen = presets.find(({ name }) => name === preset);
  const isOwnName = form.name !== "" && presets.every(({ title }) => title !== form.name);
  return {
    ...form,
    preset,
    name: isOwnName ? form.name : (chosen?.title ?? ""),
    declaration: chosen?.declaration ?? OWN_DECLARATION,
    json: null,
  };
}

export function listOf(text: string): string[] {
  return text
    .split(/[,;\n]+/)
    .map((each) => each.trim())
    .filter(Boolean);
}

/** The declaration as it would be saved. Throws an Error with a sentence for a reader. */
export function declarationOf({ json, declaration }: HookForm): HookDeclaration {
  if (json === null) return declaration;
  try {
    return JSON.parse(json) as HookDeclaration;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new InvalidJson(`The declaration is not valid JSON: ${why}. Correct it.`, {
      cause: error,
    });
  }
}

export class InvalidJson extends Error {}

export function createBody(form: HookForm, presets: readonly HookPreset[]): HooksCreateBody {
  const preset = presets.find(({ name }) => name === form.preset);
  const { body } = form.declaration;
  const recipients = listOf(form.recipients);
  const declared =
    preset && form.json === null
      ? { preset: preset.name, ...(body === preset.declaration.body ? {} : { body }) }
      : { declaration: declarationOf(form) };
  return {
    name: form.name,
    from: form.from,
    ...declared,
    ...(recipients.length > 0 ? { recipients } : {}),
    ...numbersOf(form),
  };
}

/** Unchanged declarations are left out: a replaced one would end the link to its preset. */
export function updateBody(form: HookForm, hook: Hook): HooksUpdateBody {
  const isTyped = form.json !== null;
  const isSame = JSON.stringify(form.declaration) === JSON.stringify(hook.declaration);
  const declared =
    isTyped || (hook.preset === null && !isSame)
      ? { declaration: declarationOf(form) }
      : isSame
        ? {}
        : { body: form.declaration.body };
  return {
    name: form.name,
    from: form.from,
    ...declared,
    recipients: listOf(form.recipients),
    ...numbersOf(form),
  };
}

function numbersOf({ secret, perMinute, perPhoneHour }: HookForm) {
  return {
    ...(secret === "" ? {} : { secret }),
    ...(perMinute === "" ? {} : { messages_per_minute: Number(perMinute) }),
    ...(perPhoneHour === "" ? {} : { messages_per_phone_hour: Number(perPhoneHour) }),
  };
}
