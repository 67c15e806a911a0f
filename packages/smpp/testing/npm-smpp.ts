import { createRequire } from "node:module";

/** Used part of the npm library `smpp`, which has no types. */
export interface NpmPdu {
  command: string;
  command_status: number;
  sequence_number: number;
  toBuffer(): Buffer;
  response(options?: Record<string, unknown>): NpmPdu;
  [field: string]: unknown;
}

export interface NpmSession {
  on(event: string, listener: (pdu: NpmPdu) => void): void;
  send(pdu: NpmPdu, answered?: (pdu: NpmPdu) => void): void;
  submit_sm(options: Record<string, unknown>, answered: (pdu: NpmPdu) => void): void;
  deliver_sm(options: Record<string, unknown>, answered: (pdu: NpmPdu) => void): void;
  bind_transceiver(options: Record<string, unknown>, answered: (pdu: NpmPdu) => void): void;
  unbind(answered: () => void): void;
  close(): void;
  destroy(): void;
}

export interface NpmSmpp {
  PDU: {
    new (command: string, options?: Record<string, unknown>): NpmPdu;
    fromBuffer(buffer: Buffer): NpmPdu;
  };
  createServer(listener: (session: NpmSession) => void): {
    listen(port: number, host: string, listening: () => void): void;
    address(): { port: number };
    close(): void;
  };
  connect(options: { url: string }, connected: () => void): NpmSession;
}

// `require`, not import: the library relies on implicit globals, which a strict-mode bundle
// rejects.
export const npmSmpp = createRequire(import.meta.url)("smpp") as NpmSmpp;
