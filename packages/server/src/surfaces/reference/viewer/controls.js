/** Controls of every page: light and dark, the list that opens on a phone, and "/" for the search. */
export function wireControls() {
  const root = document.documentElement;
  const saved = localStorage.getItem("theme");
  if (saved === "light" || saved === "dark") root.setAttribute("data-theme", saved);
  document.getElementById("theme").addEventListener("click", () => {
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const isDark = (root.getAttribute("data-theme") ?? system) === "dark";
    const next = isDark ? "light" : "dark";
    root.setAttribute("data-theme", next);
    localStorage.setItem("theme", next);
  });
  const sidebar = document.getElementById("sidebar");
  const menu = document.getElementById("menu");
  menu.addEventListener("click", () => {
    const isOpen = sidebar.classList.toggle("open");
    menu.setAttribute("aria-expanded", String(isOpen));
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      document.getElementById("search").focus();
    }
  });
}
