import { useLocation, useNavigate } from "@tanstack/react-router";
import { useAccount } from "../api/account.tsx";
import { useLiveState } from "../live/use-live.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";

const LIVE_WORDS = {
  connecting: "Connecting",
  live: "Connected",
  retrying: "Reconnecting",
  off: "Paused",
} as const;

export function Top(props: {
  onMenu: () => void;
  onSearch: () => void;
  children?: React.ReactNode;
}) {
  return (
    <header className="top">
      <span className="only-narrow">
        <Button kind="ghost" icon="menu" aria-label="Menu" onClick={props.onMenu} />
      </span>
      <button type="button" className="search-button" onClick={props.onSearch}>
        <Icon name="search" />
        <span className="cut only-wide">Search or jump to…</span>
        <span className="cut only-narrow">Search</span>
        <span className="kbd only-wide">
          {/Mac|iPhone/.test(navigator.userAgent) ? "⌘K" : "Ctrl K"}
        </span>
      </button>
      <span className="grow" />
      {props.children}
    </header>
  );
}

export function LiveDot() {
  const state = useLiveState();
  return (
    <span className="live-dot only-wide" data-state={state}>
      <i />
      {LIVE_WORDS[state]}
    </span>
  );
}

const MODES = [
  { mode: "test", label: "Sandbox", title: "Simulated and free. Nothing leaves this machine." },
  { mode: "live", label: "Live", title: "Real messages, real money." },
] as const;

/** Switch between the sandbox and live. The other side opens the same page in that mode. */
export function ModeSwitch() {
  const { account, mode } = useAccount();
  const navigate = useNavigate();
  const location = useLocation();
  const open = (other: "test" | "live") => {
    if (other === mode) return;
    const mayGo = other === "test" || account.live_access === "granted";
    const path = location.pathname.replace(`/${account.id}/${mode}`, `/${account.id}/${other}`);
    const to = mayGo ? path : `/${account.id}/test/live-access`;
    void navigate({ to, search: mayGo ? location.search : {} } as never);
  };
  return (
    <fieldset className="mode-switch" data-mode={mode}>
      <legend className="sr-only">Mode</legend>
      {MODES.map((each) => (
        <button
          key={each.mode}
          type="button"
          aria-pressed={each.mode === mode}
          title={each.title}
          onClick={() => open(each.mode)}
        >
          {each.label}
        </button>
      ))}
    </fieldset>
  );
}
