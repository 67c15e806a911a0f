/** `j` and `k` move between the rows of a list, as the arrow keys do. */
export function moveAmongRows(
  list: HTMLElement,
  event: Pick<KeyboardEvent, "key" | "preventDefault">,
): void {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (step === undefined) return;
  const rows = [...list.querySelectorAll<HTMLElement>("[data-row]")].sort(
    (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
  );
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? rows[0] : rows[at + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
