import { Icon } from "./icons.tsx";

/** A file that the server streams: the browser saves it as it comes, however long it is. */
export function DownloadLink(props: { path: string; label?: string }) {
  return (
    <a className="btn" data-kind="secondary" href={props.path} download>
      <Icon name="download" />
      {props.label ?? "Export"}
    </a>
  );
}
