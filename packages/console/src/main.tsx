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

const place = document.getElementById("root");
if (!place) throw new Error("The page has no place for the console.");
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
