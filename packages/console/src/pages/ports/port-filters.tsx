import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Choice, Segmented } from "../../ui/field.tsx";
import { useFilters } from "../../ui/search-params.ts";

/** Filters of a list of port requests, in the reader's wording. */
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
