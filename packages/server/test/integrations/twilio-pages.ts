/** Settings of a page, with the installation's own values in place of the placeholders. */
type Settings = Readonly<Record<string, string>>;

/** Calls of a program written for Twilio, with the values of its page. */
export interface TwilioProgram {
  /** Names of the settings that are user name and password. */
  readonly login: readonly [user: string, password: string];
  /** Form of a message, as the program's source or documentation has it. */
  readonly message: (set: Settings, to: string, body: string) => Settings;
  /** Name of the setting with the Verify service. */
  readonly verify?: string;
}

const { entries, fromEntries } = Object;

/** A form with the values of settings by name. */
const form =
  (names: Settings, fixed: Settings = {}): TwilioProgram["message"] =>
  (set, To, Body) => ({
    To,
    Body,
    ...fromEntries(entries(names).map(([field, name]) => [field, set[name] ?? ""])),
    ...fixed,
  });

/** `twilio://SID:TOKEN@FROM/TO`, by its parts. */
export function partsOfAppriseUrl(url: string): Settings {
  const [, sid = "", token = "", from = ""] = /^twilio:\/\/(.+?):(.+?)@(.+?)\//.exec(url) ?? [];
  return { sid, token, from };
}

const STATUS_CALLBACK = { StatusCallback: "https://program.example.com/status" };

// biome-ignore format: one program per line, read as a table
export const TWILIO_PAGES: Readonly<Record<string, TwilioProgram>> = {
  "supabase-twilio.md": {
    login: ["GOTRUE_SMS_TWILIO_ACCOUNT_SID", "GOTRUE_SMS_TWILIO_AUTH_TOKEN"],
    message: form({ From: "GOTRUE_SMS_TWILIO_MESSAGE_SERVICE_SID" }, { Channel: "sms" }) },
  "zitadel-twilio.md": {
    login: ["SID", "Token"], message: form({ From: "Sender Number" }), verify: "Verify Service SID" },
  "logto.md": {
    login: ["Account SID", "Auth Token"],
    message: form({ MessagingServiceSid: "From Messaging Service SID" }, { RiskCheck: "disable" }) },
  "casdoor.md": {
    login: ["Client ID", "Client secret"], message: form({ From: "Sender number" }) },
  "n8n.md": {
    login: ["Account SID", "Auth Token"],
    message: form({}, { From: "+15005550100", StatusCallback: "" }) },
  "apprise.md": {
    login: ["sid", "token"], message: form({ From: "from" }) },
  "grafana-oncall.md": {
    login: ["TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN"],
    message: form({ From: "TWILIO_NUMBER" }, STATUS_CALLBACK), verify: "TWILIO_VERIFY_SERVICE_SID" },
  "chatwoot.md": {
    login: ["Account SID", "Auth Token"],
    message: form({ MessagingServiceSid: "Messaging Service SID" }, STATUS_CALLBACK) },
  "cal.md": {
    login: ["TWILIO_SID", "TWILIO_TOKEN"],
    message: form({ From: "TWILIO_PHONE_NUMBER", MessagingServiceSid: "TWILIO_MESSAGING_SID" }),
    verify: "TWILIO_VERIFY_SID" },
  "mautic.md": {
    login: ["Account SID", "Auth Token"],
    message: form({ MessagingServiceSid: "Messaging Service SID" }) },
  "dittofeed.md": {
    login: ["Account SID", "Auth Token"],
    message: form({ MessagingServiceSid: "Messaging Service SID" }, STATUS_CALLBACK) },
  "rapidpro.md": {
    login: ["Account SID", "Account Token"], message: form({ From: "Number" }, STATUS_CALLBACK) },
  "fusionauth.md": {
    login: ["Account SID", "Auth token"],
    message: form({ MessagingServiceSid: "Messaging service Id" }) },
};
