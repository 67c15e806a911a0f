import type { Mail } from "./mail.ts";

/** Mail templates in plain text: a one-time link and its purpose. */
export function invitationMail(to: string, account: string, url: string): Mail {
  return {
    to,
    subject: `You are invited to ${onOneLine(account)}`,
    text: `Somebody has invited you to the account ${onOneLine(account)} on Longwave.

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
    text: `Somebody has asked for a new password for you on Longwave.

Open this link to choose one. It works once, for fifteen minutes:

${url}

If you did not expect this, do nothing: your password stays as it is.
`,
  };
}

/** Keeps a name that a person chose on one line, so that it cannot inject a header or a paragraph. */
function onOneLine(name: string): string {
  return name.replaceAll(/\s+/g, " ").trim();
}
