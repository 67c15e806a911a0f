import { FilterBar, type FilterSpec } from "../../reading/filter-bar.tsx";
import { type Choice, Segmented } from "../../ui/field.tsx";
import { useFilters } from "../../ui/search-params.ts";

/** The bar above a list of port requests. What is filtered for is told in the words of who reads it. */
export function PortFilters(props: {
  filters: readonly FilterSpec[];
  label: string;
  steps: readonly Choice[];
}) {
  const [search, set] = useFilters();
  return (
    <FilterBar filters={props.filters}>
      <Segmented
        label={props.label}
        value={search["status"] ?? ""}
        choices={props.steps}
        onChange={(status) => set({ status: status || undefined })}
      />
    </FilterBar>
  );
}
