import { TextField } from "./field.tsx";

/** Password field for the present password, or for a new one with its length rule. */
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
