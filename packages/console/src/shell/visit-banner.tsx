import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useAccount } from "../api/account.tsx";
import { consoleCall } from "../api/client.ts";
import { sessionQuery } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";

/** Banner for an operator in another's account: its name, and a button to leave. */
export function VisitBanner() {
  const { account } = useAccount();
  const client = useQueryClient();
  const navigate = useNavigate();
  if (!account.visited) return null;
  const leave = async () => {
    await consoleCall("/visits", { method: "DELETE" });
    await navigate({ to: `/op/accounts/${account.id}`, search: {} } as never);
    await client.refetchQueries({ queryKey: sessionQuery.queryKey });
    // Remove the account's data from memory.
    client.removeQueries({ queryKey: [account.id] });
  };
  return (
    <div className="visit" role="status">
      <Icon name="eye" />
      <span className="grow">
        You are viewing <b>{account.name}</b> as the operator. You can read everything and change
        nothing; its audit log records your visit.
      </span>
      <Button size="small" onClick={() => void leave()}>
        Leave
      </Button>
    </div>
  );
}
