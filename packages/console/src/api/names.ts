import { useQuery } from "@tanstack/react-query";
import { useAccount } from "./account.tsx";
import { consoleCall } from "./client.ts";

interface NamesAnswer {
  readonly data: readonly { readonly phone_number: string; readonly name: string | null }[];
}

/** Rows rendered together ask together. */
const BATCH_MS = 10;
const BATCH_PHONES_MAX = 100;
const FRESH_MS = 60_000;

type Waiting = Map<string, ((name: string | null) => void)[]>;

const waitingOf = new Map<string, Waiting>();

/** Contact name of a phone number; null without one, undefined until read. */
export function useContactName(phone: string): string | null | undefined {
  const { account } = useAccount();
  return useQuery({
    queryKey: [account.id, "names", phone],
    queryFn: () => loadName(account.id, phone),
    enabled: phone.startsWith("+"),
    staleTime: FRESH_MS,
  }).data;
}

function loadName(account: string, phone: string): Promise<string | null> {
  return new Promise((resolve) => {
    let waiting = waitingOf.get(account);
    if (!waiting) {
      waiting = new Map();
      waitingOf.set(account, waiting);
      setTimeout(() => void flush(account), BATCH_MS);
    }
    waiting.set(phone, [...(waiting.get(phone) ?? []), resolve]);
    if (waiting.size >= BATCH_PHONES_MAX) void flush(account);
  });
}

async function flush(account: string): Promise<void> {
  const waiting = waitingOf.get(account);
  if (!waiting) return;
  waitingOf.delete(account);
  const names = await namesOf(account, [...waiting.keys()]);
  for (const [phone, resolves] of waiting) {
    for (const resolve of resolves) resolve(names.get(phone) ?? null);
  }
}

/** Without an answer rows show phone numbers, as they do for people without a name. */
async function namesOf(
  account: string,
  phones: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const query = new URLSearchParams({ phones: phones.join(",") });
  const answer = await consoleCall<NamesAnswer>(`/${account}/names?${query}`).catch(() => null);
  return new Map(answer?.data.map(({ phone_number, name }) => [phone_number, name]));
}
