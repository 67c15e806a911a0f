import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

/**
 * Replaces the address with `href`, once per `href`. The router's own `<Navigate>` navigates on
 * every render: a parent that renders on every navigation would loop.
 */
export function Redirect({ href }: { href: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ href, replace: true } as never);
  }, [navigate, href]);
  return null;
}
