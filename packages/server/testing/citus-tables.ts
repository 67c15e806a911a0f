/** Table that `distribute` adds: a row per shard with its placement. */
export const SHARD_NODES = "shard_nodes";

/**
 * Removes the shard number from a table's name on a worker. Month partitions end in four and two digits,
 * shards in six.
 */
export function withoutShardNumber(table: string): string {
  return table.replace(/_\d{6,}$/, "");
}
