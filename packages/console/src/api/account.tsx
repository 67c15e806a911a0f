import { type Role, roleAllows } from "@longwave/contract/tables";
import type { Longwave } from "@longwave/sdk";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { createClient, type Mode } from "./client.ts";
import type { SessionAccount } from "./session-types.ts";

/** Account and mode of the page, and the API client for them. */
export interface AccountView {
  readonly account: SessionAccount;
  readonly mode: Mode;
  readonly api: Longwave;
  /** Prefix of every query key, so that two accounts or modes never share cached answers. */
  readonly scope: readonly [string, Mode];
  /** Path of this account and mode, the prefix of `/messages` and the like. */
  readonly base: string;
}

const AccountContext = createContext<AccountView | null>(null);

export function AccountProvider(props: {
  account: SessionAccount;
  mode: Mode;
  children: ReactNode;
}) {
  const { account, mode } = props;
  const view = useMemo<AccountView>(
    () => ({
      account,
      mode,
      api: createClient(account.id, mode),
      scope: [account.id, mode],
      base: `/${account.id}/${mode}`,
    }),
    [account, mode],
  );
  return <AccountContext value={view}>{props.children}</AccountContext>;
}

export function useAccount(): AccountView {
  const view = useContext(AccountContext);
  if (view === null) throw new Error("This part of the console belongs to an account's page.");
  return view;
}

/** Hides actions that the reader's role does not allow. The server enforces the role. */
export function useHasRole(role: Role): boolean {
  const { account } = useAccount();
  return roleAllows(account.role, role);
}
