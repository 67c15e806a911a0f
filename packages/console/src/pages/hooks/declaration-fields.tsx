import type { HookDeclaration } from "@longwave/sdk";
import { useState } from "react";
import { SelectField, TextField } from "../../ui/field.tsx";
import { BEARER, listOf } from "./hook-form.ts";
import { PURPOSES, type Purpose, proofOf } from "./words.ts";

/** Declaration of the account's own: the parts that nearly every program needs. */
export function DeclarationFields(props: {
  value: HookDeclaration;
  error: string | null;
  onChange: (declaration: HookDeclaration) => void;
}) {
  const { value } = props;
  const [paths, setPaths] = useState((value.to ?? []).join(", "));
  const set = (change: Partial<HookDeclaration>) => props.onChange({ ...value, ...change });
  return (
    <>
      <SelectField
        label="Purpose"
        value={value.purpose}
        choices={PURPOSES}
        help={value.purpose === "codes" ? "The fraud rules of Verify apply." : undefined}
        onChange={(event) => set({ purpose: event.target.value as Purpose })}
      />
      <TextField
        label="Path to the phone"
        optional
        placeholder="customer.phone, user.phone"
        help="In the call's JSON or form. Of several, the first with a value counts."
        value={paths}
        error={props.error}
        onChange={(event) => {
          setPaths(event.target.value);
          set({ to: pathsIn(event.target.value) });
        }}
      />
      <ProofField value={value} onChange={(signature) => set({ signature })} />
    </>
  );
}

function pathsIn(text: string): string[] | null {
  const paths = listOf(text);
  return paths.length === 0 ? null : paths;
}

const PROOFS = [
  { value: "bearer", label: "Authorization: Bearer and the secret" },
  { value: "address", label: "The address ends in the secret" },
];

function ProofField(props: {
  value: HookDeclaration;
  onChange: (signature: HookDeclaration["signature"]) => void;
}) {
  const { signature } = props.value;
  const isBearer = JSON.stringify(signature) === JSON.stringify(BEARER);
  const chosen = isBearer ? "bearer" : signature ? "other" : "address";
  const other = { value: "other", label: proofOf(props.value) };
  return (
    <SelectField
      label="Proof of a call"
      value={chosen}
      choices={chosen === "other" ? [...PROOFS, other] : PROOFS}
      help="Signatures are set in the JSON."
      onChange={(event) => {
        const { value } = event.target;
        if (value !== "other") props.onChange(value === "bearer" ? BEARER : null);
      }}
    />
  );
}
