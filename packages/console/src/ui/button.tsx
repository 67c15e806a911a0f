import { Link } from "@tanstack/react-router";
import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Icon, type IconName } from "./icons.tsx";

export type ButtonKind = "primary" | "secondary" | "ghost" | "danger" | "danger-solid";

interface Look {
  readonly kind?: ButtonKind;
  readonly size?: "small";
  readonly icon?: IconName;
  readonly children?: ReactNode;
}

type ButtonProps = Look & { readonly busy?: boolean } & Pick<
    ButtonHTMLAttributes<HTMLButtonElement>,
    "onClick" | "disabled" | "type" | "title" | "aria-label" | "popoverTarget" | "aria-pressed"
  >;

export function Button(props: ButtonProps) {
  const { kind = "secondary", size, icon, busy = false, children, disabled, type, ...rest } = props;
  return (
    <button
      {...rest}
      type={type ?? "button"}
      className="btn"
      data-kind={kind}
      data-size={size}
      data-icon={children === undefined ? "only" : undefined}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A link that looks like a button: it leads to a page, so it can be opened in a tab. */
export function ButtonLink(
  props: Look & { to: string; search?: Record<string, string | undefined> },
) {
  const { kind = "secondary", size, icon, children, to, search } = props;
  return (
    <Link to={to} search={search ?? {}} className="btn" data-kind={kind} data-size={size}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}
