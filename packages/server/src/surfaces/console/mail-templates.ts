import type { Mail } from "./mail.ts";

/** Mail templates in plain text: a one-time link and its purpose. */
export function invitationMail(to: string, account: string, url: string): Mail {
  return {
    to,
    subject: `You are invited to ${onOneLine(account)}`,
    text: `You are invited to the account ${onOneLine(account)} on Longwave.

Open this link to join. It works once, for seven days:

${url}

If you did not expect this, do nothing.
`,
  };
}

export function resetMail(to: string, url: string): Mail {
  return {
    to,
    subject: "A new password for Longwave",
    text: `A new password was requested for your account on Longwave.

Open this link to choose one. It works once, for fifteen minutes:

${url}

If you did not expect this, do nothing: your password stays as it is.
`,
  };
}

interface NoticeWords {
  readonly title: string;
  readonly text: string;
  /** Name of the account that it is about; null for the installation. */
  readonly account: string | null;
  readonly url: string;
}

/** A problem or a decision, with the page that shows it. */
export function noticeMail(to: string, { title, text, account, url }: NoticeWords): Mail {
  return {
    to,
    subject: onOneLine(title),
    text: `${onOneLine(text)}
${account === null ? "" : `\nAccount: ${onOneLine(account)}\n`}
${url}

You get this as ${account === null ? "an operator" : "an admin"} of Longwave. Your profile in the console turns these mails off.
`,
  };
}

/** Keeps a name that a person chose on one line, so that it cannot inject a header or a paragraph. */
function onOneLine(name: string): string {
  return name.replaceAll(/\s+/g, " ").trim();
}
