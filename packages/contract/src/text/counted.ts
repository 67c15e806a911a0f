/** `1 second`, `2 seconds`: a count with the word for it. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
