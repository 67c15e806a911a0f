import { createTransport } from "nodemailer";
import type { Base } from "../../core/base.ts";

const SEND_TIMEOUT_MS = 10_000;
/** Mails in transit at a time. Beyond that a mail is not sent, and people copy its link by hand. */
const CONCURRENT_SENDS_MAX = 20;

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  readonly isSetUp: boolean;
  /** Whether the mail server accepted the mail. Never throws: people can copy the link instead. */
  send(mail: Mail): Promise<boolean>;
}

/** Mails links through the server of LONGWAVE_SMTP_URL. Without that setting people copy links by hand. */
export function createMailer({ config, log }: Pick<Base, "config" | "log">): Mailer {
  if (config.smtpUrl === null) return { isSetUp: false, send: () => Promise.resolve(false) };
  const { from, url } = parseSmtpUrl(config.smtpUrl);
  const limits = {
    connectionTimeout: SEND_TIMEOUT_MS,
    greetingTimeout: SEND_TIMEOUT_MS,
    socketTimeout: SEND_TIMEOUT_MS,
  };
  // A mail must not include files or addresses that its body names.
  const closed = { disableFileAccess: true, disableUrlAccess: true };
  const transport = createTransport({ url, ...limits, ...closed }, { from });
  let sending = 0;
  return {
    isSetUp: true,
    async send(mail) {
      if (sending >= CONCURRENT_SENDS_MAX) return false;
      sending += 1;
      try {
        await transport.sendMail(mail);
        return true;
      } catch (error) {
        log.warn({ err: error }, "console: mail not sent");
        return false;
      } finally {
        sending -= 1;
      }
    },
  };
}

function parseSmtpUrl(setting: string): { from: string; url: string } {
  const url = new URL(setting);
  const from = url.searchParams.get("from") ?? "";
  url.searchParams.delete("from");
  return { from, url: url.href };
}
