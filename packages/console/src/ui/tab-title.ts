/** Title of the browser's tab: the page's name, behind the number of conversations to answer. */
let page = "Longwave";
let waiting = 0;

export function setPageTitle(title: string): void {
  page = `${title} · Longwave`;
  show();
}

export function setWaiting(count: number): void {
  waiting = count;
  show();
}

function show(): void {
  document.title = waiting > 0 ? `(${waiting}) ${page}` : page;
}
