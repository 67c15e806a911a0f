import { Link } from "@tanstack/react-router";
import type { ButtonHTMLAttributes, MouseEvent, ReactNode } from "react";
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
    | "onClick"
    | "disabled"
    | "type"
    | "title"
    | "aria-label"
    | "form"
    | "popoverTarget"
    | "aria-pressed"
  >;

function refuse(event: MouseEvent): void {
  event.preventDefault();
}

export function Button(props: ButtonProps) {
  const { kind = "secondary", size, icon, busy = false, children, disabled, type, ...rest } = props;
  // `disabled` would drop the focus; a busy button only ignores presses.
  const atWork = { onClick: refuse, "aria-busy": true, "aria-disabled": true } as const;
  return (
    <button
      {...rest}
      type={type ?? "button"}
      className="btn"
      data-kind={kind}
      data-size={size}
      data-icon={children === undefined ? "only" : undefined}
      disabled={disabled === true}
      {...(busy ? atWork : {})}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A link styled as a button: it opens a page, so it can open in a new tab. */
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
