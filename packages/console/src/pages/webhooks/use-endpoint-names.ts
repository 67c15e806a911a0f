import { useRead } from "../../api/queries.ts";

/** Addresses of the endpoints by id, without their scheme; a deleted endpoint has none. */
export function useEndpointNames(): (endpointId: string) => string {
  const endpoints = useRead(["webhooks"], (api, signal) => api.webhooks.list({}, { signal }));
  return (id) => {
    const url = endpoints.data?.data.find((endpoint) => endpoint.id === id)?.url;
    return url?.replace(/^https?:\/\//, "") ?? "";
  };
}
