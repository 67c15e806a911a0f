import type { IconName } from "../ui/icons.tsx";

export interface Destination {
  /** Below the account and mode, or below /op. */
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  /** `g` and then this key goes there. */
  readonly go?: string;
  readonly testOnly?: true;
  /** More words by which the palette finds it. */
  readonly words?: string;
}

export interface NavGroup {
  readonly title: string | null;
  readonly items: readonly Destination[];
}

/** Where one can go, by task. The rail, the palette and the `g` keys all read this table. */
// biome-ignore format: one destination per line, read as a table
export const ACCOUNT_NAV: readonly NavGroup[] = [
  { title: null, items: [
    { path: "",              label: "Home",          icon: "home",     go: "h" },
    { path: "phone",         label: "Sandbox phone", icon: "phone",    go: "p", testOnly: true, words: "try simulate inbound" },
  ] },
  { title: "Messaging", items: [
    { path: "messages",      label: "Messages",      icon: "message",  go: "m", words: "sms texts log" },
    { path: "conversations", label: "Conversations", icon: "chats",    go: "c", words: "inbox replies threads" },
    { path: "batches",       label: "Batches",       icon: "batch",    go: "b", words: "campaign csv bulk" },
    { path: "scheduled",     label: "Scheduled",     icon: "calendar", go: "s" },
  ] },
  { title: "Trust", items: [
    { path: "verify",        label: "Verify",        icon: "shield",   go: "v", words: "otp code fraud" },
    { path: "consent",       label: "Consent",       icon: "consent",  go: "o", words: "opt out stop proof" },
  ] },
  { title: "Resources", items: [
    { path: "numbers",       label: "Numbers",       icon: "hash",     go: "n", words: "buy phone" },
    { path: "pools",         label: "Sender pools",  icon: "pool" },
    { path: "customers",     label: "Customers",     icon: "building", go: "u" },
  ] },
  { title: "Developers", items: [
    { path: "keys",          label: "API keys",      icon: "key",      go: "k", words: "mint roll revoke secret" },
    { path: "webhooks",      label: "Webhooks",      icon: "webhook",  go: "w", words: "endpoints deliveries replay" },
    { path: "events",        label: "Events",        icon: "bolt",     go: "e", words: "live tail" },
  ] },
  { title: "Account", items: [
    { path: "members",       label: "Members",       icon: "users",    words: "team invite role" },
    { path: "settings",      label: "Settings",      icon: "settings", go: "," },
  ] },
];

// biome-ignore format: one destination per line, read as a table
export const OPERATOR_NAV: readonly NavGroup[] = [
  { title: "Operate", items: [
    { path: "accounts",  label: "Accounts",  icon: "building" },
    { path: "carriers",  label: "Carriers",  icon: "tower" },
    { path: "inventory", label: "Inventory", icon: "box" },
  ] },
];

export function destinations(groups: readonly NavGroup[]): readonly Destination[] {
  return groups.flatMap((group) => group.items);
}
