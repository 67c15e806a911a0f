import { type Role, roleAllows } from "@longwave/contract/tables";
import type { Longwave } from "@longwave/sdk";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { createClient, type Mode } from "./client.ts";
import type { SessionAccount } from "./session-types.ts";

/** The account and mode of the page, and the client that speaks for them. */
export interface AccountView {
  readonly account: SessionAccount;
  readonly mode: Mode;
  readonly api: Longwave;
  /** Begins every query's key: two accounts or modes never share what was read. */
  readonly scope: readonly [string, Mode];
  /** The path of this account and mode, before `/messages` and the like. */
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

/** Whether the reader may do what needs this role. The server decides; this only hides buttons. */
export function useMay(role: Role): boolean {
  const { account } = useAccount();
  return roleAllows(account.role, role);
}
