import { NotFoundError } from "@longwave/sdk";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Empty, SkeletonCard } from "../ui/empty.tsx";
import { ErrorBox, messageOf } from "../ui/problem.tsx";
import { ReadAt } from "../ui/read-at.ts";

/** Shows loaded data, or its skeleton or error. */
export function Loaded<T>(props: {
  query: UseQueryResult<T>;
  children: (value: T) => ReactNode;
  skeletonLines?: number;
}) {
  const { query } = props;
  if (query.data !== undefined) {
    return <ReadAt value={query.dataUpdatedAt}>{props.children(query.data)}</ReadAt>;
  }
  if (query.error instanceof NotFoundError) {
    return (
      <Empty icon="search" title="There is nothing here">
        {messageOf(query.error)}
      </Empty>
    );
  }
  if (query.error) return <ErrorBox error={query.error} onRetry={() => void query.refetch()} />;
  return <SkeletonCard lines={props.skeletonLines ?? 4} />;
}
