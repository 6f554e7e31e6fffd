import { Search } from 'lucide-react';
import { NavLink } from 'react-router';
import { classes } from '../components/classes.ts';
import { Kbd } from '../components/kbd.tsx';
import { AccountMenu } from './account-menu.tsx';
import { COMMAND_KEY } from './command-key.ts';
import { useLive } from './live-provider.tsx';
import { PLACES, type Place } from './navigation.ts';
import { useTeam } from './team-context.ts';
import { TeamSwitcher } from './team-switcher.tsx';

/** The left rail of a wide screen. */
export function Rail({ openPalette }: { openPalette: () => void }) {
  const { may } = useTeam();
  const places = PLACES.filter((place) => may(place.permission));
  return (
    <aside className="rail sticky z-20 flex flex-col border-r border-line px-2.5 py-3 max-wide:hidden">
      <TeamSwitcher />
      <button
        type="button"
        onClick={openPalette}
        className="mt-2 mb-2 flex h-[30px] items-center gap-2 rounded-control border border-line bg-panel px-2 text-faint transition-colors duration-100 hover:border-line-strong hover:text-muted"
      >
        <Search aria-hidden className="size-3.5" />
        <span>Search or jump to</span>
        <span className="ml-auto">
          <Kbd>{`${COMMAND_KEY}K`}</Kbd>
        </span>
      </button>
      <nav aria-label="Main" className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        <RailSection places={places.filter((place) => place.section === 'work')} />
        <RailSection label="Team" places={places.filter((place) => place.section === 'team')} />
      </nav>
      <AccountMenu />
    </aside>
  );
}

function RailSection({ label, places }: { label?: string; places: readonly Place[] }) {
  const { team } = useTeam();
  const { deployments, loaded } = useLive(team.id);
  if (places.length === 0) return undefined;
  return (
    <>
      {label && <p className="mx-2 mt-4 mb-1 text-[11px] leading-4 text-faint">{label}</p>}
      <ul className="flex flex-col gap-0.5">
        {places.map(({ key, label: text, icon: Icon, to, exact }) => (
          <li key={key}>
            <NavLink
              to={to(team.id)}
              end={exact}
              className={({ isActive }) =>
                classes(
                  'flex h-[30px] items-center gap-[9px] rounded-control px-2 -outline-offset-2 transition-colors duration-100',
                  isActive ? 'bg-sunken font-medium text-text' : 'text-muted hover:bg-sunken/60 hover:text-text',
                )
              }
            >
              <Icon aria-hidden className="size-[15px] shrink-0" strokeWidth={1.75} />
              {text}
              {key === 'deployments' && loaded && deployments.length > 0 && (
                <span className="numeric ml-auto text-[11px] font-medium text-faint">{deployments.length}</span>
              )}
            </NavLink>
          </li>
        ))}
      </ul>
    </>
  );
}
