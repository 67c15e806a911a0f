import { Icon } from "./icons.tsx";

/** Link to a streamed download: the browser saves it without buffering. */
export function DownloadLink(props: { path: string; label?: string }) {
  return (
    <a className="btn" data-kind="secondary" href={props.path} download>
      <Icon name="download" />
      {props.label ?? "Export"}
    </a>
  );
}
