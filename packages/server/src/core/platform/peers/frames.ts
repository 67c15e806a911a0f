/** A frame: its length in four bytes, most significant first, then as many bytes of JSON. */
const HEADER_BYTES = 4;
export const FRAME_BYTES_MAX = 32 * 1_024 * 1_024;

/** The bytes came from something that does not speak the protocol. */
export class NotAFrame extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "NotAFrame";
  }
}

/** Returns null for a value too large for a frame. */
export function frameOf(value: unknown): Buffer | null {
  const json = JSON.stringify(value);
  const bytes = Buffer.byteLength(json);
  if (bytes > FRAME_BYTES_MAX) return null;
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bytes);
  frame.writeUInt32BE(bytes, 0);
  frame.write(json, HEADER_BYTES);
  return frame;
}

/** Returns a function that takes bytes as they arrive and returns the values of the frames completed by them. */
export function createFrameReader(): (chunk: Buffer) => unknown[] {
  let chunks: Buffer[] = [];
  let bytes = 0;
  /** Bytes needed before another frame can be complete: a large frame is copied once. */
  let needed = HEADER_BYTES;
  return (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < needed) return [];
    const values: unknown[] = [];
    let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks, bytes);
    needed = frameBytes(rest);
    while (rest.length >= needed) {
      values.push(parsed(rest.toString("utf8", HEADER_BYTES, needed)));
      rest = rest.subarray(needed);
      needed = frameBytes(rest);
    }
    chunks = [rest];
    bytes = rest.length;
    return values;
  };
}

/** Length of the first frame with its header. A length that is incomplete needs the rest of the header. */
function frameBytes(received: Buffer): number {
  if (received.length < HEADER_BYTES) return HEADER_BYTES;
  const length = received.readUInt32BE(0);
  if (length === 0 || length > FRAME_BYTES_MAX) throw new NotAFrame(`A frame of ${length} bytes.`);
  return HEADER_BYTES + length;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new NotAFrame("A frame holds no JSON.", { cause: error });
  }
}
