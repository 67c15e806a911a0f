import type { Mail } from "./mail.ts";

/** What is mailed. Plain text: a link that works once, and what it is for. */
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

/** A name that somebody chose must not become a header, or a paragraph of its own. */
function onOneLine(name: string): string {
  return name.replaceAll(/\s+/g, " ").trim();
}
