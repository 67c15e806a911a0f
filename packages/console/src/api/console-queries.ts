import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useAccount } from "./account.tsx";
import { type ConsoleCall, consoleCall } from "./client.ts";

/** Reads one of the console's own resources of the account, such as its members. */
export function useConsoleRead<T>(name: string, enabled = true): UseQueryResult<T> {
  const { account } = useAccount();
  return useQuery({
    queryKey: [account.id, "console", name],
    queryFn: ({ signal }) => consoleCall<T>(`/${account.id}/${name}`, { signal }),
    staleTime: 10_000,
    enabled,
  });
}

export interface ConsoleChange extends ConsoleCall {
  /** Path below the account, such as `/members/usr_…`. */
  readonly path: string;
}

/** Changes a resource of the console, then refetches the named ones. */
export function useConsoleAct<T>(
  stale: string,
  onDone: (result: T) => void = () => {},
): UseMutationResult<T, unknown, ConsoleChange> {
  const { account } = useAccount();
  const client = useQueryClient();
  return useMutation<T, unknown, ConsoleChange>({
    mutationFn: ({ path, ...call }) => consoleCall<T>(`/${account.id}${path}`, call),
    onSuccess: (result) => {
      void client.invalidateQueries({ queryKey: [account.id, "console", stale] });
      onDone(result);
    },
  });
}
