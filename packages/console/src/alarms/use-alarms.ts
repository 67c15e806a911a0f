import type { Longwave } from "@longwave/sdk";
import { useEffect, useState } from "react";
import { useAccount } from "../api/account.tsx";
import { useRead } from "../api/queries.ts";
import { formatCount, formatPhone, formatUsd } from "../ui/format.ts";
import type { Tone } from "../ui/looks.ts";

export interface Alarm {
  readonly key: string;
  readonly tone: Extract<Tone, "red" | "amber" | "blue">;
  readonly text: string;
  readonly todo: string;
  readonly to: string;
}

const NUMBERS_CHECKED = 100;
const REFETCH_MS = 30_000;
/** Delay before the first read: alarms load after the first page. */
const SETTLED_MS = 1_500;
let isSettled = false;

function useSettled(): boolean {
  const [settled, setSettled] = useState(isSettled);
  useEffect(() => {
    if (isSettled) return;
    const timer = setTimeout(() => {
      isSettled = true;
      setSettled(true);
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, []);
  return settled;
}

/** Problems that need a person, each with the page that fixes it; none until read. */
export function useAlarms(): readonly Alarm[] {
  return useReadAlarms() ?? [];
}

/** The same, undefined until read. */
export function useReadAlarms(): readonly Alarm[] | undefined {
  const { mode } = useAccount();
  return useRead(
    ["alarms"],
    async (api, signal) =>
      (
        await Promise.all([
          numberAlarms(api, mode, signal),
          webhookAlarms(api, signal),
          spendAlarms(api, signal),
          registrationAlarms(api, signal),
        ])
      ).flat(),
    { refetchMs: REFETCH_MS, enabled: useSettled() },
  ).data;
}

async function numberAlarms(
  api: Longwave,
  mode: "test" | "live",
  signal: AbortSignal,
): Promise<Alarm[]> {
  const numbers = await api.numbers.list({ mode, limit: NUMBERS_CHECKED }, { signal });
  return numbers.data
    .filter((number) => number.sender.state === "action_needed")
    .map((number) => ({
      key: number.phone_number,
      tone: "amber" as const,
      text: `${formatPhone(number.phone_number)} cannot send to the public`,
      todo: "See its registration",
      to: `numbers/${number.phone_number}`,
    }));
}

async function webhookAlarms(api: Longwave, signal: AbortSignal): Promise<Alarm[]> {
  const [undelivered, endpoints] = await Promise.all([
    api.webhooks.undelivered({ limit: 100 }, { signal }),
    api.webhooks.list({}, { signal }),
  ]);
  const counts = new Map<string, number>();
  for (const { endpoint_id: id } of undelivered.data) counts.set(id, (counts.get(id) ?? 0) + 1);
  // The page is cut: there may be more of each endpoint.
  const countOf = (id: string) =>
    `${formatCount(counts.get(id) ?? 0)}${undelivered.has_more ? "+" : ""} events`;
  return endpoints.data
    .filter((endpoint) => counts.has(endpoint.id))
    .map((endpoint) => ({
      key: endpoint.id,
      tone: "red" as const,
      text: `Webhook ${endpointName(endpoint.url)}: ${countOf(endpoint.id)} failed`,
      todo: "View and replay",
      to: `webhooks/${endpoint.id}`,
    }));
}

/** Host and path: several endpoints may share a host. */
function endpointName(url: string): string {
  const { host, pathname } = new URL(url);
  return pathname === "/" ? host : host + pathname;
}

const SPEND_WARNED_AT = 0.8;

async function spendAlarms(api: Longwave, signal: AbortSignal): Promise<Alarm[]> {
  const limit = await api.spendLimit.get({ signal });
  if (limit.monthly_limit_usd === null || limit.monthly_limit_usd === 0) return [];
  const part = (limit.spent_usd + limit.reserved_usd) / limit.monthly_limit_usd;
  if (part < SPEND_WARNED_AT) return [];
  return [
    {
      key: "spend",
      tone: part >= 1 ? "red" : "amber",
      text: `${Math.floor(part * 100)} % of this month's ${formatUsd(limit.monthly_limit_usd)} is spent`,
      todo: "Edit limit",
      to: "billing",
    },
  ];
}

const REGISTRATION_ALARMS = {
  rejected: { text: "was rejected", todo: "Correct it" },
  suspended: { text: "was suspended by the carriers", todo: "See why" },
  expired: { text: "has expired", todo: "Renew it" },
} as const;
type RegistrationAlarm = keyof typeof REGISTRATION_ALARMS;

async function registrationAlarms(api: Longwave, signal: AbortSignal): Promise<Alarm[]> {
  const lists = await Promise.all(
    Object.keys(REGISTRATION_ALARMS).map((status) =>
      api.registrations.list({ status: status as RegistrationAlarm, limit: 5 }, { signal }),
    ),
  );
  return lists
    .flatMap((list) => list.data)
    .map((registration) => {
      const { text, todo } = REGISTRATION_ALARMS[registration.status as RegistrationAlarm];
      return {
        key: registration.id,
        tone: "red" as const,
        text: `The registration of ${registration.business_name} ${text}`,
        todo,
        to: `registrations/${registration.id}`,
      };
    });
}
