import { ApiError } from "@longwave/sdk";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./theme/tokens.css";
import "./theme/base.css";
import "./theme/controls.css";
import "./theme/shell.css";
import "./theme/data.css";
import "./theme/parts.css";
import { sessionQuery } from "./api/session.ts";
import { router } from "./router.tsx";

const RETRIES_MAX = 2;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // Retry network failures only: an error answer of the server would repeat.
      retry: (failures, error) => !(error instanceof ApiError) && failures < RETRIES_MAX,
      refetchOnWindowFocus: true,
    },
  },
});

/** Maximum time with an empty page, after which a loading note shows. */
const FIRST_PAGE_MS_MAX = 1_000;

/**
 * Waits until the first page can render at once. React shows a placeholder for at least 300 ms,
 * which would delay a page that arrives a moment later.
 */
async function waitForFirstPage(): Promise<void> {
  const isThere = Promise.allSettled([client.prefetchQuery(sessionQuery), router.load()]);
  await Promise.race([isThere, new Promise((late) => setTimeout(late, FIRST_PAGE_MS_MAX))]);
}

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root element.");
await waitForFirstPage();
const page = createRoot(root);
page.render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);

// The back/forward cache restores a page with its data, even after sign-out. So the page removes its data when the
// reader leaves, and loads again when the browser restores it.
addEventListener("pagehide", ({ persisted }) => {
  if (!persisted) return;
  page.unmount();
  client.clear();
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
});
