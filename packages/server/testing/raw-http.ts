import { connect, type Socket } from "node:net";

/** One response as received from the socket. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  readonly body: any;
}

export interface RawConnection {
  readonly socket: Socket;
  write(data: string | Buffer): void;
  /** Resolves with the next response; rejects if the connection closes before its end. */
  next(): Promise<RawAnswer>;
  /** Resolves with all remaining bytes, once the peer has closed. */
  closed(): Promise<string>;
}

/** Opens a TCP connection to the server, for requests that no client library would send. */
export async function rawConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  let received = Buffer.alloc(0);
  let isClosed = false;
  let wake = () => {};
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
    wake();
  });
  const changed = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  return {
    socket,
    write: (data) => void socket.write(data),
    async next() {
      for (;;) {
        const parsed = parseAnswer(received);
        if (parsed) {
          received = received.subarray(parsed.bytes);
          return parsed.answer;
        }
        if (isClosed) throw new Error(`closed before an answer: ${received.toString("latin1")}`);
        await changed();
      }
    },
    async closed() {
      while (!isClosed) await changed();
      return received.toString("latin1");
    },
  };
}

/** Sends bytes on a new connection and returns one response. */
export async function rawRequest(url: string, data: string | Buffer): Promise<RawAnswer> {
  const connection = await rawConnection(url);
  try {
    connection.write(data);
    return await connection.next();
  } finally {
    connection.socket.destroy();
  }
}

function parseAnswer(data: Buffer): { answer: RawAnswer; bytes: number } | null {
  const headEnd = data.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const [statusLine = "", ...lines] = data.subarray(0, headEnd).toString("latin1").split("\r\n");
  const status = Number(statusLine.split(" ")[1]);
  if (status === 100) return parseAnswer(data.subarray(headEnd + 4));
  const headers = Object.fromEntries(
    lines.map((line) => {
      const split = line.indexOf(":");
      return [line.slice(0, split).toLowerCase(), line.slice(split + 1).trim()];
    }),
  );
  const start = headEnd + 4;
  const length = Number(headers["content-length"] ?? 0);
  if (data.length < start + length) return null;
  const text = data.subarray(start, start + length).toString("utf8");
  const isJson = headers["content-type"]?.includes("json") && text !== "";
  const answer = { status, headers, text, body: isJson ? JSON.parse(text) : null };
  return { answer, bytes: start + length };
}
