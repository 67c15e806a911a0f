import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body, with quoted-printable decoded. */
  readonly text: string;
}

export interface MailReceiver {
  readonly host: string;
  readonly mails: readonly ReceivedMail[];
  close(): Promise<void>;
}

/** Starts a mail server that stores what it receives, with the SMTP commands that sending needs. */
export async function startMailReceiver(): Promise<MailReceiver> {
  const mails: ReceivedMail[] = [];
  const server = createServer((socket) => converse(socket, (mail) => mails.push(mail)));
  server.unref();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function converse(socket: Socket, onMail: (mail: ReceivedMail) => void): void {
  let text = "";
  let isData = false;
  let from = "";
  let to: string[] = [];
  const say = (line: string) => socket.write(`${line}\r\n`);
  socket.on("error", () => {});
  socket.setEncoding("utf8");
  say("220 ready");
  socket.on("data", (chunk: string) => {
    text += chunk;
    for (;;) {
      const end = isData ? text.indexOf("\r\n.\r\n") : text.indexOf("\r\n");
      if (end === -1) return;
      const part = text.slice(0, end);
      text = text.slice(end + (isData ? 5 : 2));
      if (isData) {
        isData = false;
        onMail({ from, to, text: unquoted(part) });
        to = [];
        say("250 taken");
      } else if (/^EHLO/i.test(part)) say("250 here");
      else if (/^DATA/i.test(part)) {
        isData = true;
        say("354 go on");
      } else if (/^QUIT/i.test(part)) socket.end("221 bye\r\n");
      else {
        const [, address = ""] = /<([^>]*)>/.exec(part) ?? [];
        if (/^MAIL/i.test(part)) from = address;
        if (/^RCPT/i.test(part)) to.push(address);
        say("250 ok");
      }
    }
  });
}

function unquoted(text: string): string {
  return text
    .replaceAll(/=\r\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
}
