import type { ReactNode } from "react";
import { useFilters } from "./search-params.ts";

export interface Tab {
  readonly id: string;
  readonly label: ReactNode;
}

/** Tabs of a page; the address holds the selected one. */
export function Tabs(props: { label: string; tabs: readonly Tab[]; chosen: string }) {
  const [, set] = useFilters();
  return (
    <div className="tabs" role="tablist" aria-label={props.label}>
      {props.tabs.map((tab, index) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          id={`tab-${tab.id}`}
          aria-selected={tab.id === props.chosen}
          tabIndex={tab.id === props.chosen ? 0 : -1}
          onClick={() => set({ tab: tab.id === props.tabs[0]?.id ? undefined : tab.id })}
          onKeyDown={(event) => {
            const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            const to = step === undefined ? undefined : props.tabs[index + step];
            if (!to) return;
            set({ tab: to.id === props.tabs[0]?.id ? undefined : to.id });
            document.getElementById(`tab-${to.id}`)?.focus();
          }}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}

export function useTab(tabs: readonly Tab[]): string {
  const [search] = useFilters();
  const requested = search["tab"];
  return tabs.some((tab) => tab.id === requested) ? (requested ?? "") : (tabs[0]?.id ?? "");
}
