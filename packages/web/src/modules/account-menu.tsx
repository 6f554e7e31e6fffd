import { CircleHelp, KeyRound, LogOut, Rows3 } from 'lucide-react';
import { useNavigate } from 'react-router';
import { Menu, MenuChoices, MenuItem, MenuLine } from '../components/menu.tsx';
import { setAppearance, type Theme, useAppearance } from './appearance.ts';
import { openShortcuts } from './overlays.ts';
import { paths } from './paths.ts';
import { useTeam } from './team-context.ts';
import { useSignOut } from './use-sign-out.ts';

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function AccountMenu({ short }: { short?: boolean }) {
  const { me, team } = useTeam();
  const { theme, density } = useAppearance();
  const navigate = useNavigate();
  const signOut = useSignOut();
  return (
    <Menu
      align={short ? 'end' : 'start'}
      side={short ? 'bottom' : 'top'}
      className="w-[212px]"
      trigger={
        <button
          type="button"
          className="flex min-w-0 items-center gap-2 rounded-control px-2 py-1.5 text-left text-muted transition-colors duration-100 hover:bg-sunken data-[state=open]:bg-sunken"
        >
          <span
            aria-hidden
            className="grid size-[22px] shrink-0 place-items-center rounded-full border border-line-strong text-[11px] font-medium uppercase"
          >
            {me.user.email.charAt(0)}
          </span>
          <span className="min-w-0 truncate">
            <span className="sr-only">Account of </span>
            <span className={short ? 'sr-only' : undefined}>{me.user.email}</span>
          </span>
        </button>
      }
    >
      <MenuItem
        icon={<KeyRound aria-hidden className="size-4 text-muted" />}
        onSelect={() => navigate(paths.account(team.id))}
      >
        API tokens and account
      </MenuItem>
      <MenuItem icon={<CircleHelp aria-hidden className="size-4 text-muted" />} hint="?" onSelect={openShortcuts}>
        Keyboard shortcuts
      </MenuItem>
      <MenuLine />
      <MenuChoices
        label="Theme"
        value={theme}
        onChange={(value) => setAppearance({ theme: value as Theme })}
        choices={THEMES}
      />
      <MenuLine />
      <MenuItem
        icon={<Rows3 aria-hidden className="size-4 text-muted" />}
        onSelect={() => setAppearance({ density: density === 'dense' ? 'normal' : 'dense' })}
      >
        {density === 'dense' ? 'Roomy rows' : 'Dense rows'}
      </MenuItem>
      <MenuLine />
      <MenuItem icon={<LogOut aria-hidden className="size-4 text-muted" />} onSelect={signOut}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
