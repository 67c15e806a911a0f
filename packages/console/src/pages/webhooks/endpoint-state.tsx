import type { WebhookEndpoint } from "@longwave/sdk";
import { Status } from "../../ui/status.tsx";
import { useHealth } from "./use-health.ts";

/** State of an endpoint. An active one whose newest attempts all failed is failing. */
export function EndpointState(props: { endpoint: WebhookEndpoint }) {
  const { id, active } = props.endpoint;
  const health = useHealth(id);
  const state = active ? (health?.rate === 0 ? "failing" : "active") : "paused";
  return <Status machine="endpoint" state={state} />;
}
