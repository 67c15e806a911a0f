import { Dialog } from "../ui/dialog.tsx";
import { destinations, type NavGroup } from "./navigation.ts";

// biome-ignore format: one key per line, read as a table
const KEYS: readonly (readonly [string, string])[] = [
  ["Ctrl K", "Search pages, actions, ids, phone numbers"],
  ["/",      "Go to the filter of the page"],
  ["c",      "Create"],
  ["j  k",   "Next and previous row of a list"],
  ["Enter",  "Open the row"],
  ["x",      "Select the row"],
  ["?",      "Show this list"],
];

export function HelpDialog(props: {
  isOpen: boolean;
  groups: readonly NavGroup[];
  onClose: () => void;
}) {
  const goes = destinations(props.groups).flatMap((each) =>
    each.go ? [[`g  ${each.go}`, each.label] as const] : [],
  );
  return (
    <Dialog title="Keyboard" isOpen={props.isOpen} onClose={props.onClose}>
      <div className="dialog-body">
        <dl className="facts">
          {[...KEYS, ...goes].map(([key, what]) => (
            <div key={key} style={{ display: "contents" }}>
              <dt>
                <span className="kbd">{key}</span>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}
