import { normalizePhone } from "@longwave/contract/tables";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { useAccount } from "../api/account.tsx";
import { Button } from "../ui/button.tsx";
import type { Choice } from "../ui/field.tsx";
import { useFilters } from "../ui/search-params.ts";
import { Views } from "./views.tsx";

export type FilterSpec =
  | {
      readonly name: string;
      readonly label: string;
      /** A phone is taken in any form that people write it in. */
      readonly kind: "text" | "phone";
      readonly wide?: true;
    }
  | {
      readonly name: string;
      readonly label: string;
      readonly kind: "choice";
      readonly choices: readonly Choice[];
    };

const TYPING_MS = 350;

/** The filters of a list. What is set is in the address and nowhere else. */
export function FilterBar(props: { filters: readonly FilterSpec[]; children?: ReactNode }) {
  const [search, set] = useFilters();
  const page = useKeptPage();
  const used = props.filters.filter((filter) => search[filter.name]);
  const clear = () =>
    set(
      { ...Object.fromEntries(used.map((filter) => [filter.name, undefined])), view: undefined },
      "asStep",
    );
  return (
    <search className="filters">
      {props.filters.map((filter) =>
        filter.kind !== "choice" ? (
          <TextFilter
            key={filter.name}
            label={filter.label}
            value={search[filter.name] ?? ""}
            onChange={(text) => {
              const value = filter.kind === "phone" ? (normalizePhone(text) ?? text) : text;
              const isTypedOn = Boolean(search[filter.name]) && value !== "";
              set({ [filter.name]: value || undefined }, isTypedOn ? undefined : "asStep");
            }}
          />
        ) : (
          <select
            key={filter.name}
            className="select"
            aria-label={filter.label}
            value={search[filter.name] ?? ""}
            onChange={(event) => set({ [filter.name]: event.target.value || undefined }, "asStep")}
          >
            <option value="">{filter.label}</option>
            {filter.choices.map((choice) => (
              <option key={choice.value} value={choice.value}>
                {choice.label}
              </option>
            ))}
          </select>
        ),
      )}
      {used.length > 0 && (
        <Button kind="ghost" icon="x" onClick={clear}>
          Clear
        </Button>
      )}
      {page !== null && <Views page={page} search={search} />}
      {props.children}
    </search>
  );
}

/** The list whose views are kept: those of an account's own pages, for whoever belongs to it. */
function useKeptPage(): string | null {
  const { account, base } = useAccount();
  const { pathname } = useLocation();
  if (account.visited || !pathname.startsWith(`${base}/`)) return null;
  const page = pathname.slice(base.length + 1);
  return /^[a-z]+(?:[/-][a-z]+)*$/.test(page) ? page : null;
}

/** Asks the server once the reader stops typing. */
function TextFilter(props: { label: string; value: string; onChange: (value: string) => void }) {
  const { value, onChange } = props;
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <input
      type="search"
      className="input"
      data-filter="true"
      aria-label={props.label}
      placeholder={props.label}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
