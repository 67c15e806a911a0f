import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useSession } from "../api/session.ts";
import type { SessionAccount } from "../api/session-types.ts";
import { WaitingCount } from "../inbox/inbox.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Mark } from "./mark.tsx";
import { familyAt, type NavGroup } from "./navigation.ts";
import { ThemeButton } from "./theme.tsx";
import { UserMenu } from "./user-menu.tsx";

/** Main navigation; a drawer below 900 px. */
export function Rail(props: {
  base: string;
  groups: readonly NavGroup[];
  account: SessionAccount | null;
  mode: "test" | "live";
  isOpen: boolean;
  onClose: () => void;
}) {
  const { base, groups, mode } = props;
  const { pathname } = useLocation();
  const family = familyAt(groups, pathname.slice(base.length + 1));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page highlights another link
  useEffect(() => {
    // One frame later: links update after the page does.
    const frame = requestAnimationFrame(() => {
      document
        .querySelector(".rail-link[data-within], .rail-link[aria-current]")
        ?.scrollIntoView({ block: "nearest" });
    });
    return () => cancelAnimationFrame(frame);
  }, [pathname]);
  return (
    <nav className="rail" data-open={props.isOpen} aria-label="Main" onClickCapture={props.onClose}>
      <AccountSwitch account={props.account} mode={mode} />
      {groups.map((group) => (
        <div key={group.title ?? "first"} className={group.title ? "rail-group" : undefined}>
          {group.title && <div className="rail-title">{group.title}</div>}
          {group.items
            .filter((item) => !(item.testOnly && mode === "live"))
            .map((item) => (
              <Link
                key={item.path}
                to={`${base}/${item.path}`}
                search={{}}
                className="rail-link"
                data-within={family === item || undefined}
                activeOptions={{ exact: item.path === "", includeSearch: false }}
              >
                <Icon name={item.icon} size={17} />
                <span className="grow">{item.label}</span>
                {item.path === "conversations" && (
                  <>
                    {" "}
                    <WaitingCount />
                  </>
                )}
              </Link>
            ))}
        </div>
      ))}
      <div className="rail-group">
        <a className="rail-link" href="/docs" target="_blank" rel="noreferrer">
          <Icon name="book" size={17} />
          API reference
        </a>
      </div>
      <div className="rail-foot">
        <UserMenu />
        <ThemeButton />
      </div>
    </nav>
  );
}

function AccountSwitch(props: { account: SessionAccount | null; mode: "test" | "live" }) {
  const session = useSession();
  const navigate = useNavigate();
  const { account, mode } = props;
  return (
    <Menu
      className="rail-account"
      trigger={
        <>
          <Mark />
          <span className="grow">
            <b className="cut">{account?.name ?? "Operator"}</b>
            <span className="meta">{roleLabel(account)}</span>
          </span>
          <span className="sr-only">Switch account</span>
          <Icon name="down" />
        </>
      }
    >
      <div className="menu-title">Accounts</div>
      {session.accounts.map((each) => (
        <MenuItem
          key={each.id}
          icon={each.id === account?.id ? "check" : "building"}
          onSelect={() => void navigate({ to: `/${each.id}/${mode}/`, search: {} } as never)}
        >
          {each.name}
        </MenuItem>
      ))}
      {session.user?.operator && (
        <>
          <div className="menu-rule" />
          <MenuItem icon="tower" onSelect={() => void navigate({ to: "/op", search: {} } as never)}>
            Operate the service
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

function roleLabel(account: SessionAccount | null): string {
  if (!account) return "All accounts";
  if (account.visited) return "Visited";
  return account.role.charAt(0).toUpperCase() + account.role.slice(1);
}
