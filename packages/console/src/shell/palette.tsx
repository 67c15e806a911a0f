import { SEARCH_CHARS_MAX } from "@longwave/contract/tables";
import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { consoleCall } from "../api/client.ts";
import { useSession } from "../api/session.ts";
import type { SearchAnswer, SearchHit } from "../api/session-types.ts";
import { recentPages } from "../recent.ts";
import { openModal } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import type { NavGroup } from "./navigation.ts";
import { type Command, type PaletteItem, paletteItems, withHits } from "./palette-items.ts";
import { currentTheme, setTheme } from "./theme.tsx";
import { signOut } from "./user-menu.tsx";

/** Debounce: the server searches once typing pauses. */
const PAUSE_MS = 200;
const NO_HITS: readonly SearchHit[] = [];

const COMMANDS: Readonly<Record<Command, () => void>> = {
  theme: () => setTheme(currentTheme() === "dark" ? "light" : "dark"),
  "sign-out": () => void signOut(),
};

/** Opens the page at hand in the other mode; null without live access, and on the operator's pages. */
function modeItem(base: string, pathname: string, hasLive: boolean): PaletteItem | null {
  const mode = /\/(test|live)$/.exec(base)?.[1];
  if (mode === undefined || !hasLive) return null;
  const [other, label] =
    mode === "test" ? ["live", "Switch to live"] : ["test", "Switch to the sandbox"];
  const to = `${base.slice(0, -mode.length)}${other}${pathname.slice(base.length)}`;
  return { key: "do:mode", label, icon: "bolt", hint: "Action", to };
}

/** Search hits of the account. The operator's pages have none. */
function useHits(text: string, base: string): readonly SearchHit[] {
  const [debounced, setDebounced] = useState("");
  const query = text.trim().slice(0, SEARCH_CHARS_MAX);
  useEffect(() => {
    const pausing = setTimeout(() => setDebounced(query), PAUSE_MS);
    return () => clearTimeout(pausing);
  }, [query]);
  const { data } = useQuery({
    queryKey: ["search", base, debounced],
    queryFn: ({ signal }) =>
      consoleCall<SearchAnswer>(`${base}/search?${new URLSearchParams({ q: debounced })}`, {
        signal,
      }),
    enabled: debounced.length > 1 && base.startsWith("/acct_"),
  });
  return debounced === query ? (data?.data ?? NO_HITS) : NO_HITS;
}

function fits(text: string, label: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => label.toLowerCase().includes(word));
}

/** Command palette: finds pages, actions, ids and phone numbers. */
export function Palette(props: { base: string; groups: readonly NavGroup[]; onClose: () => void }) {
  const { onClose } = props;
  const listId = useId();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const { accounts } = useSession();
  const { pathname } = useLocation();
  const recent = recentPages(props.base, pathname);
  const account = accounts.find(({ id }) => props.base.startsWith(`/${id}/`));
  const mode = modeItem(props.base, pathname, account?.live_access === "granted");
  const isMode = mode !== null && /\S/.test(text) && fits(text, `${mode.label} mode`);
  const found = paletteItems(text, props.base, props.groups, accounts, recent);
  const here = isMode ? [mode, ...found] : found;
  const items = withHits(here, useHits(text, props.base), props.base);
  const open = (item: PaletteItem | undefined) => {
    if (!item) return;
    onClose();
    if (item.command !== undefined) COMMANDS[item.command]();
    else void navigate({ to: item.to, search: item.search ?? {} } as never);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") open(items[at]);
    else if (step !== undefined) setAt((at + step + items.length) % Math.max(1, items.length));
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={openModal}
      className="palette"
      aria-label="Search"
      onCancel={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
      onKeyDown={onKey}
    >
      <input
        className="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={items[at] ? `${listId}-${at}` : undefined}
        aria-label="Search pages, actions, accounts, ids, phone numbers, names, emails and texts"
        placeholder="Search pages, actions, people, batches, texts…"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
      />
      <div className="palette-list" role="listbox" id={listId} aria-label="Results" tabIndex={-1}>
        {items.map((item, index) => (
          <div
            key={item.key}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            className="palette-item"
            aria-selected={index === at}
            onMouseMove={() => setAt(index)}
            onClick={() => open(item)}
            onKeyDown={() => {}}
          >
            <Icon name={item.icon} />
            <span className="cut">{item.label}</span>
            <span className="meta nowrap">{item.hint}</span>
          </div>
        ))}
        {items.length === 0 && <p className="empty muted">Nothing has that name.</p>}
      </div>
    </dialog>
  );
}
