/** What `distribute` adds to an installation's tables: a row for each shard, where the shard is. */
export const PLACES = "shard_places";

/** A table's name as a worker has it ends in the number of its shard: months have four and two digits, numbers six. */
export function withoutPlace(table: string): string {
  return table.replace(/_\d{6,}$/, "");
}
