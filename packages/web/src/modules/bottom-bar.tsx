import { Ellipsis, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { NavLink, useNavigate } from 'react-router';
import { classes } from '../components/classes.ts';
import { Menu, MenuItem } from '../components/menu.tsx';
import { PLACES } from './navigation.ts';
import { useTeam } from './team-context.ts';

const ITEM = 'flex flex-1 flex-col items-center justify-center gap-0.5 text-[11px] leading-4 -outline-offset-2';

/** The rail of a narrow screen. */
export function BottomBar({ openPalette }: { openPalette: () => void }) {
  const { team, may } = useTeam();
  const navigate = useNavigate();
  const places = PLACES.filter((place) => may(place.permission));
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-30 flex h-[calc(56px+env(safe-area-inset-bottom))] border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] wide:hidden"
    >
      {places
        .filter((place) => place.section === 'work')
        .map(({ key, label, icon: Icon, to, exact }) => (
          <NavLink
            key={key}
            to={to(team.id)}
            end={exact}
            className={({ isActive }) => classes(ITEM, isActive ? 'font-medium text-accent' : 'text-muted')}
          >
            <Icon aria-hidden className="size-[18px]" strokeWidth={1.75} />
            {label}
          </NavLink>
        ))}
      <BarButton label="Search" icon={<Search aria-hidden className="size-[18px]" />} onClick={openPalette} />
      <Menu
        side="top"
        trigger={
          <button type="button" className={classes(ITEM, 'text-muted')}>
            <Ellipsis aria-hidden className="size-[18px]" />
            More
          </button>
        }
      >
        {places
          .filter((place) => place.section === 'team')
          .map(({ key, label, icon: Icon, to }) => (
            <MenuItem
              key={key}
              icon={<Icon aria-hidden className="size-4 text-muted" />}
              onSelect={() => navigate(to(team.id))}
            >
              {label}
            </MenuItem>
          ))}
      </Menu>
    </nav>
  );
}

function BarButton({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) {
  return (
    <button type="button" onClick={onClick} className={classes(ITEM, 'text-muted')}>
      {icon}
      {label}
    </button>
  );
}
