// Before anything else: theme and density are set before the first paint, and who is signed in is asked while the
// pages are still on their way. A file of its own, because the page allows no inline script.
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
  const headers = { accept: "application/json", "longwave-console": "1" };
  // Whoever takes it sees whether it failed, and asks again.
  globalThis.longwaveSession = fetch("/console/v1/session", { headers, redirect: "error" }).catch(
    () => null,
  );
  // The first page of an account is asked for together with the program that shows it.
  if (!/^\/acct_[^/]+\/(?:test|live)\/?$/.test(location.pathname)) return;
  const named = document.querySelector('meta[name="longwave-home"]');
  for (const href of named?.content.split(" ") ?? []) {
    const link = document.createElement("link");
    Object.assign(link, { rel: "modulepreload", href });
    document.head.append(link);
  }
})();
