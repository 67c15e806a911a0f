import { createTransport } from "nodemailer";
import type { Base } from "../../core/base.ts";

const SENT_MS_MAX = 10_000;
/** Mails on their way at a time; beyond that one is not sent, and its link is copied by hand. */
const SENDING_MAX = 20;

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  readonly isSetUp: boolean;
  /** Whether it was taken by the mail server. Never throws: a link can always be copied instead. */
  send(mail: Mail): Promise<boolean>;
}

/** Sends links by mail where LONGWAVE_SMTP_URL says through whom; without it people copy them. */
export function createMailer({ config, log }: Pick<Base, "config" | "log">): Mailer {
  if (config.smtpUrl === null) return { isSetUp: false, send: () => Promise.resolve(false) };
  const { from, url } = partsOf(config.smtpUrl);
  const limits = {
    connectionTimeout: SENT_MS_MAX,
    greetingTimeout: SENT_MS_MAX,
    socketTimeout: SENT_MS_MAX,
  };
  // Nothing of a mail may come from a file or an address that its text names.
  const closed = { disableFileAccess: true, disableUrlAccess: true };
  const transport = createTransport({ url, ...limits, ...closed }, { from });
  let sending = 0;
  return {
    isSetUp: true,
    async send(mail) {
      if (sending >= SENDING_MAX) return false;
      sending += 1;
      try {
        await transport.sendMail(mail);
        return true;
      } catch (error) {
        log.warn({ err: error }, "a mail was not taken by the mail server");
        return false;
      } finally {
        sending -= 1;
      }
    },
  };
}

function partsOf(setting: string): { from: string; url: string } {
  const url = new URL(setting);
  const from = url.searchParams.get("from") ?? "";
  url.searchParams.delete("from");
  return { from, url: url.href };
}
