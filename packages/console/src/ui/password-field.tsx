import { TextField } from "./field.tsx";

/** A password: the present one, or one that is chosen now and told how long it must be. */
export function PasswordField(props: {
  label?: string;
  value: string;
  isNew?: boolean;
  error?: string | null;
  onChange: (value: string) => void;
}) {
  return (
    <TextField
      label={props.label ?? "Password"}
      type="password"
      required
      autoComplete={props.isNew ? "new-password" : "current-password"}
      help={
        props.isNew ? "At least 12 characters. Several words are easy to keep in mind." : undefined
      }
      value={props.value}
      error={props.error}
      onChange={(event) => props.onChange(event.target.value)}
    />
  );
}
