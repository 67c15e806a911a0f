import { useQuery } from "@tanstack/react-query";
import { useAccount } from "./account.tsx";
import { consoleCall } from "./client.ts";
import { readTogether } from "./read-together.ts";

interface NamesAnswer {
  readonly data: readonly { readonly phone_number: string; readonly name: string | null }[];
}

interface ObjectNames {
  readonly data: readonly { readonly id: string; readonly name: string | null }[];
}

const FRESH_MS = 60_000;

/** Contact name of a phone number; null without one, undefined until read. */
export function useContactName(phone: string): string | null | undefined {
  const { account } = useAccount();
  return useQuery({
    queryKey: [account.id, "names", phone],
    queryFn: () => readName(account.id, phone),
    enabled: phone.startsWith("+"),
    staleTime: FRESH_MS,
  }).data;
}

/** Name of an object, a key or a member by id; null without one, undefined until read. */
export function useNameOf(id: string | null): string | null | undefined {
  const { account } = useAccount();
  return useQuery({
    queryKey: [account.id, "object-names", id],
    queryFn: () => readObjectName(account.id, id ?? ""),
    enabled: id !== null && account.id.startsWith("acct_"),
    staleTime: FRESH_MS,
  }).data;
}

const readObjectName = readTogether<string | null>(async (account, ids) => {
  const query = new URLSearchParams({ ids: ids.join(",") });
  const answer = await consoleCall<ObjectNames>(`/${account}/object-names?${query}`);
  return new Map(answer.data.map(({ id, name }) => [id, name]));
});

/** Without an answer rows show phone numbers, as they do for people without a name. */
const readName = readTogether<string | null>(async (account, phones) => {
  const query = new URLSearchParams({ phones: phones.join(",") });
  const answer = await consoleCall<NamesAnswer>(`/${account}/names?${query}`);
  return new Map(answer.data.map(({ phone_number, name }) => [phone_number, name]));
});
