import { lazy, Suspense, useEffect } from 'react';
import { Outlet, ScrollRestoration, useNavigate, useNavigation } from 'react-router';
import { useShortcuts } from '../components/use-shortcuts.ts';
import { AccountMenu } from './account-menu.tsx';
import { BottomBar } from './bottom-bar.tsx';
import { ConnectionLine } from './connection-line.tsx';
import { PLACES } from './navigation.ts';
import { openPalette, openShortcuts, setOverlay, useOverlay } from './overlays.ts';
import { paths } from './paths.ts';
import { Rail } from './rail.tsx';
import { ReleaseNote } from './release-note.tsx';
import { useTeam } from './team-context.ts';
import { TeamSwitcher } from './team-switcher.tsx';

const Palette = lazy(() => import('./palette.tsx').then((module) => ({ default: module.Palette })));
const ShortcutsDialog = lazy(() =>
  import('./shortcuts-dialog.tsx').then((module) => ({ default: module.ShortcutsDialog })),
);

/** What surrounds every page of a team: rail or bottom bar, palette, shortcuts, the line that says "disconnected". */
export function Shell() {
  const { team, may } = useTeam();
  const overlay = useOverlay();
  const navigate = useNavigate();
  const navigating = useNavigation().state === 'loading';
  useShortcuts({
    ...Object.fromEntries(
      PLACES.filter((place) => place.shortcut && may(place.permission)).map((place) => [
        `g ${place.shortcut}`,
        () => void navigate(place.to(team.id)),
      ]),
    ),
    c: () => void navigate(paths.catalogue(team.id)),
    '/': () => focusFilter(),
    '?': openShortcuts,
  });
  usePaletteKey();
  return (
    <>
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-control focus:bg-panel focus:px-3 focus:py-1.5 focus:shadow-floating"
      >
        Skip to content
      </a>
      <ConnectionLine />
      <ReleaseNote />
      <div className="wide:grid wide:grid-cols-[232px_minmax(0,1fr)]">
        <Rail openPalette={openPalette} />
        <div className="min-w-0">
          <div className="flex items-center justify-between border-b border-line px-2 py-1 wide:hidden">
            <TeamSwitcher />
            <AccountMenu short />
          </div>
          <main
            id="main"
            tabIndex={-1}
            aria-busy={navigating}
            className="mx-auto w-full max-w-[1240px] px-4 pt-4 pb-24 outline-none wide:mx-0 wide:px-7 wide:pt-5 wide:pb-10"
          >
            <Outlet />
          </main>
        </div>
      </div>
      <ScrollRestoration />
      <BottomBar openPalette={openPalette} />
      <Suspense>
        {overlay === 'palette' && <Palette onClose={() => setOverlay(undefined)} />}
        {overlay === 'shortcuts' && <ShortcutsDialog onClose={() => setOverlay(undefined)} />}
      </Suspense>
    </>
  );
}

function focusFilter(): void {
  const filter = document.querySelector<HTMLInputElement>('[data-filter]');
  if (filter) filter.focus();
  else openPalette();
}

/** Works everywhere, also while something is typed. */
function usePaletteKey(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      openPalette();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
