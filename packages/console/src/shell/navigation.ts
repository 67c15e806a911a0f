import type { IconName } from "../ui/icons.tsx";

export interface Destination {
  /** Path below the account and mode, or below /op. */
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  /** Second key of the shortcut `g` plus key. */
  readonly go?: string;
  readonly testOnly?: true;
  /** Left out where accounts do not pay. */
  readonly isMoney?: true;
  /** Further search words for the palette. */
  readonly words?: string;
  /** Pages of one subject, the first with the path of this destination. */
  readonly family?: readonly Destination[];
}

export interface NavGroup {
  readonly title: string | null;
  readonly items: readonly Destination[];
}

/**
 * Destinations by task, for the rail, the palette and the `g` keys. The rail shows fourteen, so that
 * all are in view; each leads to its `family` by links at the top of the page.
 */
// biome-ignore format: one destination per line, read as a table
export const ACCOUNT_NAV: readonly NavGroup[] = [
  { title: null, items: [
    { path: "",              label: "Home",          icon: "home",     go: "h" },
    { path: "conversations", label: "Conversations", icon: "chats",    go: "c", words: "inbox replies threads" },
    { path: "phone",         label: "Sandbox phone", icon: "phone",    go: "p", testOnly: true, words: "try simulate inbound" },
  ] },
  { title: "Messaging", items: [
    { path: "messages",      label: "Messages",      icon: "message",  family: [
      { path: "messages",       label: "Messages",       icon: "message", go: "m", words: "sms texts log" },
      { path: "deliverability", label: "Deliverability", icon: "gauge", go: "d", words: "delivery rate carriers alarms" },
    ] },
    { path: "batches",       label: "Batches",       icon: "batch",    go: "b", words: "campaign csv bulk" },
    { path: "scheduled",     label: "Scheduled",     icon: "calendar", go: "s", words: "calendar recurring schedules" },
    { path: "automations",   label: "Automations",   icon: "flow",     go: "a", words: "flows steps journeys runs" },
  ] },
  { title: "People", items: [
    { path: "contacts",      label: "Contacts",      icon: "users",    family: [
      { path: "contacts",    label: "Contacts",      icon: "users",    go: "o", words: "people import profile tags" },
      { path: "segments",    label: "Segments",      icon: "filter",   words: "filter audience" },
      { path: "topics",      label: "Topics",        icon: "tag",      words: "subscriptions preferences" },
      { path: "consent",     label: "Consent",       icon: "consent",  words: "opt out stop proof ledger" },
      { path: "personal-data", label: "Personal data", icon: "trash",  words: "erase export gdpr access request privacy" },
      { path: "lookup",      label: "Lookup",        icon: "search",   words: "line type carrier landline mobile" },
    ] },
    { path: "verify",        label: "Verify",        icon: "shield",   go: "v", words: "otp code fraud" },
  ] },
  { title: "Resources", items: [
    { path: "numbers",       label: "Numbers",       icon: "hash",     family: [
      { path: "numbers",     label: "Numbers",       icon: "hash",     go: "n", words: "buy phone" },
      { path: "pools",       label: "Sender pools",  icon: "pool" },
      { path: "ports",       label: "Port requests", icon: "inbox",    words: "porting transfer bring move" },
      { path: "import",      label: "Import",        icon: "download", words: "twilio telnyx migrate provider importer" },
    ] },
    { path: "registrations", label: "Registrations", icon: "stamp",    go: "r", words: "10dlc brand campaign carrier" },
    { path: "customers",     label: "Customers",     icon: "building", go: "u" },
  ] },
  { title: "Account", items: [
    { path: "keys",          label: "Developers",    icon: "key",      family: [
      { path: "keys",        label: "API keys",      icon: "key",      go: "k", words: "mint roll revoke secret" },
      { path: "webhooks",    label: "Webhooks",      icon: "webhook",  go: "w", words: "endpoints deliveries replay" },
      { path: "hooks",       label: "Hooks",         icon: "link",     words: "integrations programs supabase grafana novu alertmanager inbound call" },
      { path: "events",      label: "Events",        icon: "bolt",     go: "e", words: "live tail" },
      { path: "requests",    label: "Request log",   icon: "list",     go: "l", words: "calls errors api log" },
    ] },
    { path: "settings",      label: "Settings",      icon: "settings", family: [
      { path: "settings",    label: "Account",       icon: "settings", go: ",", words: "live access own phones quiet hours smart encoding" },
      { path: "billing",     label: "Usage and billing", icon: "card", go: "$", words: "spend limit balance cost money" },
      { path: "members",     label: "Members",       icon: "user",     words: "team invite role" },
      { path: "audit",       label: "Audit log",     icon: "book",     words: "who changed history" },
    ] },
  ] },
];

// biome-ignore format: one destination per line, read as a table
export const OPERATOR_NAV: readonly NavGroup[] = [
  { title: "Operate", items: [
    { path: "",          label: "Overview",     icon: "gauge" },
    { path: "reviews",   label: "Reviews",      icon: "stamp",    words: "registrations live access" },
    { path: "accounts",  label: "Accounts",     icon: "building", family: [
      { path: "accounts",  label: "Accounts",         icon: "building", words: "suspend credit delete" },
      { path: "deletions", label: "Deleted accounts", icon: "trash",    words: "erased report remains" },
    ] },
    { path: "prices",    label: "Prices",       icon: "card",     isMoney: true, words: "tariff margin carrier cost billing" },
    { path: "lawful-hours", label: "Lawful hours", icon: "clock", words: "quiet law state weekday tcpa" },
    { path: "ports",     label: "Port requests", icon: "inbox",   words: "porting numbers" },
    { path: "blocks",    label: "Fraud blocks", icon: "shield",   words: "verify lift" },
  ] },
  { title: "Run", items: [
    { path: "carriers",  label: "Carriers",     icon: "tower",    words: "smpp links binds provider add telnyx twilio kept callbacks" },
    { path: "inventory", label: "Inventory",    icon: "box",      words: "numbers stock upload" },
    { path: "numbering", label: "Numbering data", icon: "hash",   words: "line types ranges exchanges npa nxx lookup upload" },
    { path: "system",    label: "System",       icon: "settings", words: "lanes health readiness clock" },
    { path: "audit",     label: "Audit log",    icon: "book" },
  ] },
];

/** Every destination, those of families included. */
export function destinations(groups: readonly NavGroup[]): readonly Destination[] {
  return groups.flatMap((group) =>
    group.items.flatMap((item) => (item.family ? item.family : [item])),
  );
}

/** Item of the rail, and its family, that a path below the account belongs to. */
export function familyAt(groups: readonly NavGroup[], path: string): Destination | undefined {
  const [first = ""] = path.split("/");
  return groups
    .flatMap((group) => group.items)
    .find((item) => item.family?.some((each) => each.path === first));
}
