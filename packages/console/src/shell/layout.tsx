import { Link, Outlet } from "@tanstack/react-router";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { useHasBilling } from "../api/session.ts";
import type { SessionAccount } from "../api/session-types.ts";
import { Icon } from "../ui/icons.tsx";
import { FamilyLinks } from "./family-links.tsx";
import { HelpDialog } from "./help.tsx";
import type { NavGroup } from "./navigation.ts";
import { Palette } from "./palette.tsx";
import { Rail } from "./rail.tsx";
import { useShortcuts } from "./shortcuts.ts";
import { Top } from "./top.tsx";

const TABS_BELOW = 4;

/** Frame of every page: rail, top bar, bottom tabs. */
export function Layout(props: {
  base: string;
  groups: readonly NavGroup[];
  account: SessionAccount | null;
  mode: "test" | "live";
  top: ReactNode;
  /** Shown between the top bar and the page. */
  banner?: ReactNode;
}) {
  const { base, mode } = props;
  const groups = useOfferedNav(props.groups);
  const [isRailOpen, setIsRailOpen] = useState(false);
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const openPalette = useCallback(() => setIsPaletteOpen(true), []);
  const openHelp = useCallback(() => setIsHelpOpen(true), []);
  const closeRail = useCallback(() => setIsRailOpen(false), []);
  useShortcuts({ base, groups, openPalette, openHelp });
  return (
    <>
      <a className="btn skip" href="#main">
        Skip to the page
      </a>
      {props.account && <div className="stripe" data-mode={mode} />}
      <Rail
        base={base}
        groups={groups}
        account={props.account}
        mode={mode}
        isOpen={isRailOpen}
        onClose={closeRail}
      />
      {isRailOpen && (
        <button type="button" className="scrim" aria-label="Close the menu" onClick={closeRail} />
      )}
      <div className="main">
        <Top onMenu={() => setIsRailOpen(true)} onSearch={openPalette}>
          {props.top}
        </Top>
        {props.banner}
        <FamilyLinks base={base} groups={groups} />
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <BottomTabs base={base} groups={groups} mode={mode} onMore={() => setIsRailOpen(true)} />
      {isPaletteOpen && (
        <Palette base={base} groups={groups} onClose={() => setIsPaletteOpen(false)} />
      )}
      <HelpDialog isOpen={isHelpOpen} groups={groups} onClose={() => setIsHelpOpen(false)} />
    </>
  );
}

/** Destinations that this installation has: without billing, none about money alone. */
function useOfferedNav(groups: readonly NavGroup[]): readonly NavGroup[] {
  const hasBilling = useHasBilling();
  return useMemo(
    () =>
      hasBilling
        ? groups
        : groups.map((group) => ({ ...group, items: group.items.filter((item) => !item.isMoney) })),
    [groups, hasBilling],
  );
}

/** Tabs at the bottom of a phone's screen: the most used pages. */
function BottomTabs(props: {
  base: string;
  groups: readonly NavGroup[];
  mode: "test" | "live";
  onMore: () => void;
}) {
  const items = props.groups
    .flatMap((group) => group.items)
    .filter((item) => !(item.testOnly && props.mode === "live"))
    .slice(0, TABS_BELOW);
  return (
    <nav className="tabs-bottom" aria-label="Most used">
      {items.map((item) => (
        <Link
          key={item.path}
          to={`${props.base}/${item.path}`}
          search={{}}
          activeOptions={{ exact: item.path === "" }}
        >
          <Icon name={item.icon} size={20} />
          {item.label.replace("Sandbox phone", "Phone")}
        </Link>
      ))}
      <button type="button" onClick={props.onMore}>
        <Icon name="menu" size={20} />
        More
      </button>
    </nav>
  );
}
