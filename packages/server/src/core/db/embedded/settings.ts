import { totalmem } from "node:os";

const MB = 1024 * 1024;
const SHARED_BUFFERS_MB_MIN = 128;
const SHARED_BUFFERS_MB_MAX = 8_192;
const SHARED_BUFFERS_PART_OF_MEMORY = 8;
const WAL_MB_MIN = 2_048;
const WAL_MB_MAX = 8_192;
const WAL_PART_OF_MEMORY = 16;

/** An eighth of the memory of the machine or container: a million contacts fit into 1 GB. */
export function sharedBuffersMb(memoryBytes = memoryOf()): number {
  const part = Math.floor(memoryBytes / SHARED_BUFFERS_PART_OF_MEMORY / MB);
  return Math.max(SHARED_BUFFERS_MB_MIN, Math.min(SHARED_BUFFERS_MB_MAX, part));
}

/**
 * Log between two checkpoints. Machines with more memory write more of it, and have the disk for it.
 *
 * 10,000 messages/s write 2 GB in about a minute: the page of every change would be written whole each minute.
 */
export function walMb(memoryBytes = memoryOf()): number {
  const part = Math.floor(memoryBytes / WAL_PART_OF_MEMORY / MB);
  return Math.max(WAL_MB_MIN, Math.min(WAL_MB_MAX, part));
}

/** Memory of the machine or container. */
export function memoryOf(
  machineBytes = totalmem(),
  containerBytes = process.constrainedMemory(),
): number {
  // Without a limit it is 0, or larger than any machine.
  return containerBytes > 0 ? Math.min(machineBytes, containerBytes) : machineBytes;
}

/**
 * PostgreSQL's settings for a machine shared with Longwave. fsync, full_page_writes and synchronous_commit keep
 * their default, on: an accepted message survives a power cut.
 */
const DEFAULTS: Readonly<Record<string, string>> = {
  max_connections: "200",
  shared_buffers: `${sharedBuffersMb()}MB`,
  // Fewer, smoother checkpoints: the first change of a page after each writes the full page to the WAL.
  max_wal_size: `${walMb()}MB`,
  wal_compression: "on",
  checkpoint_completion_target: "0.9",
  // SSDs read at random almost as fast as in order.
  random_page_cost: "1.1",
  // Statistics of a fast-growing table follow within seconds, and plans with them.
  autovacuum_naptime: "5s",
  // Short statements: compiling them costs more than it saves.
  jit: "off",
  // Parallel plans need /dev/shm, which containers keep at 64 MB.
  max_parallel_workers_per_gather: "0",
  // A statement on a partitioned table locks every partition it may touch.
  max_locks_per_transaction: "256",
  timezone: "UTC",
  log_timezone: "UTC",
  log_line_prefix: "%m [%p] ",
  // DETAIL lines quote rows, and rows contain phone numbers.
  log_error_verbosity: "terse",
  // Regular checkpoints would only fill the log.
  log_checkpoints: "off",
};

/** Settings that the launcher relies on; callers cannot override them. */
function fixedSettings(sockets: string): Record<string, string> {
  return {
    listen_addresses: "",
    unix_socket_directories: quoteDirectory(sockets),
    unix_socket_permissions: "0700",
    port: String(PORT),
    logging_collector: "off",
    log_destination: "stderr",
  };
}

/** Names the socket file only; nothing listens on TCP. */
export const PORT = 5432;

export function serverArguments(
  cluster: string,
  sockets: string,
  overrides: Readonly<Record<string, string>>,
): string[] {
  const settings = { ...DEFAULTS, ...overrides, ...fixedSettings(sockets) };
  return [
    "-D",
    cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
}

/** The setting is a comma-separated list, so a path with a comma or a blank needs quotes. */
function quoteDirectory(path: string): string {
  return `"${path.replaceAll('"', '""')}"`;
}
