import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { sessionQuery } from "../api/session.ts";
import { Redirect } from "../ui/redirect.tsx";
import { stringifySearch } from "../ui/search-params.ts";

/** Redirects a signed-out person to the sign-in page, with the present page as its target. */
export function ToSignIn() {
  const { href } = useLocation();
  // The redirect changes the location before the sign-in page renders: keep the first one.
  const [next] = useState(href);
  const client = useQueryClient();
  useEffect(() => {
    // Another person may sign in next: remove all cached answers of the former one.
    const [session] = sessionQuery.queryKey;
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== session });
  }, [client]);
  return <Redirect href={`/sign-in${stringifySearch(next === "/" ? {} : { next })}`} />;
}
