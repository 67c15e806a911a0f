import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../api/account.tsx";
import { useConsoleAct, useConsoleRead } from "../api/console-queries.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { errorAt, errorBeside, TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { parseSearch, type Search, stringifySearch } from "../ui/search-params.ts";

interface SavedView {
  readonly id: string;
  readonly page: string;
  readonly name: string;
  readonly query: string;
}

/** Parameters that a view does not save: the open row and the view's own id. */
const LEFT_OUT = { view: undefined, sel: undefined };

/** Saved filters and columns of the reader. Choosing a view sets the address. */
export function Views(props: { page: string; search: Search }) {
  const { page, search } = props;
  const navigate = useNavigate();
  const [isNaming, setIsNaming] = useState(false);
  const read = useConsoleRead<{ data: readonly SavedView[] }>("views");
  const views = (read.data?.data ?? []).filter((view) => view.page === page);
  const chosen = views.find((view) => view.id === search["view"]);
  const query = stringifySearch({ ...search, ...LEFT_OUT }).slice(1);
  const go = (next: Search) => void navigate({ to: ".", search: next } as never);
  const remove = useConsoleAct("views", () => go({ ...search, view: undefined }));
  if (views.length === 0 && query === "") return null;
  return (
    <>
      <Menu
        className="btn"
        trigger={
          <>
            <Icon name="bookmark" />
            <span className="cut">{chosen?.name ?? "Views"}</span>
            <Icon name="down" size={14} />
          </>
        }
      >
        {views.map((view) => (
          <MenuItem
            key={view.id}
            onSelect={() => go({ ...parseSearch(view.query), view: view.id })}
          >
            <span className="cut grow">{view.name}</span>
            {view === chosen && <Icon name="check" />}
          </MenuItem>
        ))}
        {views.length > 0 && <div className="menu-rule" />}
        {query !== "" && (
          <MenuItem icon="plus" onSelect={() => setIsNaming(true)}>
            Keep this view…
          </MenuItem>
        )}
        {chosen && (
          <MenuItem
            icon="trash"
            danger
            onSelect={() => remove.mutate({ path: `/views/${chosen.id}`, method: "DELETE" })}
          >
            Delete “{chosen.name}”
          </MenuItem>
        )}
      </Menu>
      {isNaming && (
        <NameView
          page={page}
          query={query}
          name={chosen?.name ?? ""}
          onClose={() => setIsNaming(false)}
          onKept={(id) => {
            setIsNaming(false);
            go({ ...search, view: id });
          }}
        />
      )}
    </>
  );
}

function NameView(props: {
  page: string;
  query: string;
  name: string;
  onClose: () => void;
  onKept: (id: string) => void;
}) {
  const { page, query } = props;
  const { account } = useAccount();
  const [name, setName] = useState(props.name);
  const keep = useConsoleAct<SavedView>("views", (view) => props.onKept(view.id));
  return (
    <FormDialog
      title="Keep this view"
      isOpen
      onClose={props.onClose}
      onSubmit={() => keep.mutate({ path: "/views", method: "POST", body: { page, name, query } })}
      submit="Keep it"
      busy={keep.isPending}
      disabled={name.trim() === ""}
      error={errorBeside(keep.error, ["name"])}
    >
      <TextField
        label="Name"
        help={`Its filters and columns, for you in ${account.name}. A name that you have already is replaced.`}
        value={name}
        error={errorAt(keep.error, "name")}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        autoFocus
      />
    </FormDialog>
  );
}
