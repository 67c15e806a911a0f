import { normalizePhone } from "@longwave/contract/tables";
import { useLocation } from "@tanstack/react-router";
import { Fragment, type ReactNode, useEffect, useState } from "react";
import { useAccount } from "../api/account.tsx";
import { serverMs } from "../clock.ts";
import { Button } from "../ui/button.tsx";
import { fromDatetimeField, toDatetimeField, zoneName } from "../ui/datetime-field.ts";
import type { Choice } from "../ui/field.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { useFilters } from "../ui/search-params.ts";
import { Views } from "./views.tsx";

interface FilterName {
  readonly name: string;
  readonly label: string;
  /** Visible only while set: other pages link here with it. */
  readonly whenSet?: true;
}

export type FilterSpec = FilterName &
  (
    | {
        /** `phone` accepts any format that people write, `time` a time in the reader's zone. */
        readonly kind: "text" | "phone" | "time";
      }
    | { readonly kind: "choice"; readonly choices: readonly Choice[] }
    | {
        /** A control of the page's own. */
        readonly kind: "own";
        readonly control: (value: string, onChange: (value: string) => void) => ReactNode;
      }
  );

/** Start and end filters of lists ordered by time. */
export const TIME_FILTERS: readonly FilterSpec[] = [
  { name: "created_after", label: "From", kind: "time" },
  { name: "created_before", label: "Until", kind: "time" },
];

const HOUR_MS = 3_600_000;
const TIME_PRESETS: readonly { readonly label: string; readonly hours: number }[] = [
  { label: "Last hour", hours: 1 },
  { label: "Last 24 hours", hours: 24 },
  { label: "Last 7 days", hours: 7 * 24 },
  { label: "Last 30 days", hours: 30 * 24 },
];

const TYPING_MS = 350;

/** Filters of a list. The address alone holds their values. */
export function FilterBar(props: { filters: readonly FilterSpec[]; children?: ReactNode }) {
  const [search, set] = useFilters();
  const page = useViewsPage();
  const [isTimeWanted, setIsTimeWanted] = useState(false);
  const used = props.filters.filter((filter) => search[filter.name]);
  const isTimed = isTimeWanted || used.some((filter) => filter.kind === "time");
  const shown = props.filters.filter((filter) =>
    filter.kind === "time" ? isTimed : !filter.whenSet || used.includes(filter),
  );
  const mayBeTimed = props.filters.some((filter) => filter.kind === "time");
  const clear = () => {
    setIsTimeWanted(false);
    set(
      { ...Object.fromEntries(used.map((filter) => [filter.name, undefined])), view: undefined },
      "asStep",
    );
  };
  return (
    <search className="filters">
      {shown.map((filter) =>
        filter.kind === "own" ? (
          <Fragment key={filter.name}>
            {filter.control(search[filter.name] ?? "", (value) =>
              set({ [filter.name]: value || undefined }, "asStep"),
            )}
          </Fragment>
        ) : filter.kind !== "choice" ? (
          <TypedFilter
            key={filter.name}
            label={filter.label}
            kind={filter.kind}
            // The new field takes the focus of the button that it replaces.
            hasFocus={isTimeWanted && filter.name === TIME_FILTERS[0]?.name}
            value={search[filter.name] ?? ""}
            onChange={(value) => {
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
      {mayBeTimed && (
        <TimeMenu
          isTimed={isTimed}
          onSince={(since) => set({ created_after: since, created_before: undefined }, "asStep")}
          onCustom={() => setIsTimeWanted(true)}
        />
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

/** Spans up to now, and free choice of both ends. */
function TimeMenu(props: {
  isTimed: boolean;
  onSince: (since: string) => void;
  onCustom: () => void;
}) {
  return (
    <Menu
      trigger={
        <>
          <Icon name="calendar" />
          {props.isTimed ? "Time" : "Any time"}
          <Icon name="down" size={14} />
        </>
      }
    >
      {TIME_PRESETS.map(({ label, hours }) => (
        <MenuItem
          key={label}
          onSelect={() => props.onSince(new Date(serverMs() - hours * HOUR_MS).toISOString())}
        >
          {label}
        </MenuItem>
      ))}
      <div className="menu-rule" />
      <MenuItem onSelect={props.onCustom}>Custom range…</MenuItem>
    </Menu>
  );
}

/** Storage name for saved views: account pages only, for members only. */
function useViewsPage(): string | null {
  const { account, base } = useAccount();
  const { pathname } = useLocation();
  if (account.visited || !pathname.startsWith(`${base}/`)) return null;
  const page = pathname.slice(base.length + 1);
  return /^[a-z]+(?:[/-][a-z]+)*$/.test(page) ? page : null;
}

function focusOn(input: HTMLInputElement | null): void {
  input?.focus();
}

/** Conversion of typed filters between the field and the address. */
const CONVERSIONS = {
  text: { toField: (value: string) => value, fromField: (text: string) => text.trim() },
  phone: {
    toField: (value: string) => value,
    fromField: (text: string) => normalizePhone(text) ?? text.trim(),
  },
  time: { toField: toDatetimeField, fromField: fromDatetimeField },
} as const;

/** Applies the filter once typing pauses. */
function TypedFilter(props: {
  label: string;
  kind: keyof typeof CONVERSIONS;
  hasFocus: boolean;
  value: string;
  onChange: (value: string) => void;
}) {
  const { label, kind, value, onChange } = props;
  const { toField, fromField } = CONVERSIONS[kind];
  const written = toField(value);
  const [text, setText] = useState(written);
  useEffect(() => setText(written), [written]);
  useEffect(() => {
    if (text === written) return;
    const timer = setTimeout(() => onChange(fromField(text)), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, written, onChange, fromField]);
  const control = { className: "input", value: text, "aria-label": label } as const;
  const write = (event: { target: { value: string } }) => setText(event.target.value);
  if (kind === "time") {
    return (
      <label className="filter-time" title={`${label}, by the clock of ${zoneName()}`}>
        <span aria-hidden="true">{label}</span>
        <input
          type="datetime-local"
          ref={props.hasFocus ? focusOn : null}
          {...control}
          onChange={write}
        />
      </label>
    );
  }
  return (
    <input type="search" data-filter="true" placeholder={label} {...control} onChange={write} />
  );
}
