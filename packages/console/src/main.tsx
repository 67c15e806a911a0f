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
      // What the server refuses, it refuses again; only a broken line is worth another try.
      retry: (failures, error) => !(error instanceof ApiError) && failures < RETRIES_MAX,
      refetchOnWindowFocus: true,
    },
  },
});

/** Longer than this nobody is left before an empty page: then it says that it waits. */
const FIRST_PAGE_MS_MAX = 1_000;

/**
 * For all that the first page is made of. React leaves a placeholder, once it is drawn, for a third of a second at least: the
 * page that comes a moment later would be kept waiting by it.
 */
async function waitForFirstPage(): Promise<void> {
  const isThere = Promise.allSettled([client.prefetchQuery(sessionQuery), router.load()]);
  await Promise.race([isThere, new Promise((late) => setTimeout(late, FIRST_PAGE_MS_MAX))]);
}

const place = document.getElementById("root");
if (!place) throw new Error("The page has no place for the console.");
await waitForFirstPage();
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
