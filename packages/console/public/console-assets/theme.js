// Sets theme and density before the first paint. A file of its own, because the page allows no inline script.
(() => {
  let wanted = null;
  try {
    wanted = localStorage.getItem("longwave.theme");
    document.documentElement.dataset.density = localStorage.getItem("longwave.density") ?? "roomy";
  } catch {
    // Storage can be forbidden; then the system's theme holds.
  }
  const isDark =
    wanted === "dark" || (wanted !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
})();
