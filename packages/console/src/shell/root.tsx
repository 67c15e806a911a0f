import { type ErrorComponentProps, Outlet, useRouterState } from "@tanstack/react-router";
import { Suspense } from "react";
import { ButtonLink } from "../ui/button.tsx";
import { Empty, SkeletonCard } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/problem.tsx";
import { Toasts } from "../ui/toast.tsx";
import { SignInAgain } from "./sign-in-again.tsx";

export function Root() {
  return (
    <>
      <RouteProgress />
      <Suspense fallback={<Waiting />}>
        <Outlet />
      </Suspense>
      <Toasts />
      <SignInAgain />
    </>
  );
}

/** Shows that a click was heard while the next page's code loads. */
function RouteProgress() {
  const isLoading = useRouterState({ select: (state) => state.isLoading });
  return (
    <div className="route-progress" data-loading={isLoading || undefined} aria-hidden="true" />
  );
}

function Waiting() {
  return (
    <div className="page">
      <SkeletonCard />
    </div>
  );
}

/** Error of one page; the rest of the console stays usable. */
export function PageError(props: ErrorComponentProps) {
  return (
    <div className="page">
      <ErrorBox error={props.error} onRetry={props.reset} />
    </div>
  );
}

export function NotFound() {
  return (
    <main>
      <Empty
        icon="search"
        title="Page not found"
        action={
          <ButtonLink to="/" kind="primary">
            Go to the console
          </ButtonLink>
        }
      />
    </main>
  );
}
