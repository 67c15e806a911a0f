import { SecretDialog } from "../../ui/dialog.tsx";

/** A link that signs its first visitor in, for the person who made it to hand on. */
export function ShareLinkDialog(props: {
  link: { readonly url: string | null; readonly mailed: boolean } | null;
  onClose: () => void;
}) {
  const { link } = props;
  const rule = "The first person to open it gets in. It works once and expires.";
  return (
    <SecretDialog
      title="Share this link"
      secret={link?.url ?? null}
      what={link?.mailed ? `It was also mailed. ${rule}` : rule}
      onClose={props.onClose}
    />
  );
}
