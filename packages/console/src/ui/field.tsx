import { ApiError } from "@longwave/sdk";
import {
  type FormEvent,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useEffect,
  useId,
  useState,
} from "react";
import { Icon } from "./icons.tsx";
import { plainWords } from "./plain-words.ts";
import { validityWords } from "./validity.ts";

interface FieldProps {
  readonly label: string;
  readonly help?: ReactNode;
  readonly error?: string | null | undefined;
  readonly optional?: boolean;
  readonly aside?: ReactNode;
}

type FormControl = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

interface ControlProps {
  readonly id: string;
  readonly onInvalid: (event: FormEvent<FormControl>) => void;
  readonly "aria-invalid": boolean | undefined;
  readonly "aria-describedby": string | undefined;
}

/**
 * The browser's objection at a submit, until the value is valid. It replaces the browser's own
 * bubble, so the first such field gets the focus here.
 */
function useObjection(id: string): [string | null, ControlProps["onInvalid"]] {
  const [objection, setObjection] = useState<string | null>(null);
  useEffect(() => {
    const control = document.getElementById(id) as FormControl | null;
    if (objection !== null && control?.validity.valid) setObjection(null);
  });
  const onInvalid = (event: FormEvent<FormControl>) => {
    event.preventDefault();
    const control = event.currentTarget;
    setObjection(validityWords(control));
    if (control.form?.querySelector(":invalid:not(fieldset)") === control) control.focus();
  };
  return [objection, onInvalid];
}

/** Links label, help and error to the control, for screen readers. An error replaces the help. */
export function Field(props: FieldProps & { children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const { label, optional, aside } = props;
  const [objection, onInvalid] = useObjection(id);
  const error = props.error ?? objection;
  const hasError = error !== null;
  const help = hasError ? undefined : props.help;
  const described = hasError ? `${id}-error` : help ? `${id}-help` : undefined;
  return (
    <div className="field">
      <div className="field-label">
        <label htmlFor={id}>
          {label} {optional && <span className="optional">(optional)</span>}
        </label>
        {aside}
      </div>
      {props.children({
        id,
        onInvalid,
        "aria-invalid": hasError || undefined,
        "aria-describedby": described,
      })}
      {hasError && (
        <p className="field-error" id={`${id}-error`}>
          <Icon name="alert" size={14} />
          {error}
        </p>
      )}
      {help && (
        <p className="field-help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}

type TextFieldProps = FieldProps & Omit<InputHTMLAttributes<HTMLInputElement>, "id" | "children">;

export function TextField(props: TextFieldProps) {
  const { label, help, error, optional, aside, ...input } = props;
  return (
    <Field label={label} help={help} error={error} optional={optional ?? false} aside={aside}>
      {(control) => <input className="input" type="text" {...input} {...control} />}
    </Field>
  );
}

type AreaFieldProps = FieldProps &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "id" | "children">;

export function AreaField(props: AreaFieldProps) {
  const { label, help, error, optional, aside, ...input } = props;
  return (
    <Field label={label} help={help} error={error} optional={optional ?? false} aside={aside}>
      {(control) => <textarea className="textarea" {...input} {...control} />}
    </Field>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

type SelectFieldProps = FieldProps & { choices: readonly Choice[]; blank?: string } & Omit<
    SelectHTMLAttributes<HTMLSelectElement>,
    "id" | "children"
  >;

export function SelectField(props: SelectFieldProps) {
  const { label, help, error, optional, aside, choices, blank, ...select } = props;
  return (
    <Field label={label} help={help} error={error} optional={optional ?? false} aside={aside}>
      {(control) => (
        <select className="select" {...select} {...control}>
          {blank !== undefined && <option value="">{blank}</option>}
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField(props: {
  label: ReactNode;
  help?: ReactNode;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={props.checked}
        disabled={props.disabled}
        onChange={(event) => props.onChange(event.target.checked)}
      />
      <span>
        {props.label}
        {props.help && <small>{props.help}</small>}
      </span>
    </label>
  );
}

/** Radio choice with all options visible. */
export function Segmented<T extends string>(props: {
  label: string;
  value: T;
  choices: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}) {
  return (
    <fieldset className="segmented" aria-label={props.label} style={{ border: 0, margin: 0 }}>
      {props.choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === props.value}
          onClick={() => props.onChange(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}

/** The server's error about one field; other errors show above the button. */
export function errorAt(error: unknown, param: string): string | null {
  return error instanceof ApiError && error.param === param ? plainWords(error.message) : null;
}

/** The error, unless one of these fields shows it already. */
export function errorBeside(error: unknown, params: readonly string[]): unknown {
  if (error === null || error === undefined) return null;
  const isShown = error instanceof ApiError && error.param !== null && params.includes(error.param);
  return isShown ? null : error;
}
