import { useNavigate } from "@tanstack/react-router";
import { consoleCall } from "../api/client.ts";
import { useSession } from "../api/session.ts";
import { clearStored } from "../storage.ts";
import { Icon } from "../ui/icons.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";

export async function signOut(): Promise<void> {
  await consoleCall("/session", { method: "DELETE" });
  // Drafts outlive an expired session, but not a sign-out: another person may use this tab next.
  clearStored(sessionStorage);
  // A full page load clears all data from memory.
  location.assign("/sign-in");
}

export function UserMenu() {
  const { user } = useSession();
  const navigate = useNavigate();
  if (!user) return null;
  return (
    <Menu
      className="rail-account grow"
      trigger={
        <>
          <Icon name="user" />
          <span className="cut grow">{user.name ?? user.email}</span>
        </>
      }
    >
      <div className="menu-title">{user.email}</div>
      <MenuItem icon="settings" onSelect={() => void navigate({ to: "/me", search: {} } as never)}>
        Profile and security
      </MenuItem>
      <MenuItem icon="logout" onSelect={() => void signOut()}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
