import { createRequire } from "node:module";

/** What we use of the npm library `smpp`, which has no types of its own. */
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

// Required, not imported: it relies on implicit globals, which a bundle in strict mode refuses.
export const npmSmpp = createRequire(import.meta.url)("smpp") as NpmSmpp;
