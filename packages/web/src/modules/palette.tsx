import { Command } from 'cmdk';
import { CornerDownLeft, Search } from 'lucide-react';
import { useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { bestGroupsFirst } from './palette-search.ts';
import { type PaletteEntry, usePaletteGroups } from './use-palette-groups.tsx';

/** Reaches every object and every action by a few letters. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('');
  const groups = usePaletteGroups();
  const shown = bestGroupsFirst(
    groups.map(({ label, find }) => ({ label, entries: find(query) })).filter((group) => group.entries.length > 0),
    query,
  );
  const run = (entry: PaletteEntry) => {
    onClose();
    entry.run();
  };
  return (
    <Dialog open bare onOpenChange={(open) => !open && onClose()} title="Search or jump to" className="max-w-[580px]!">
      <Command label="Search or jump to" shouldFilter={false} loop className="flex min-h-0 flex-col">
        <div className="flex items-center gap-2.5 border-b border-line px-3.5">
          <Search aria-hidden className="size-4 shrink-0 text-faint" />
          <Command.Input
            autoFocus
            value={query}
            onValueChange={setQuery}
            placeholder="Search or jump to"
            className="h-11 flex-1 bg-transparent text-lead outline-none max-wide:text-[16px]"
          />
        </div>
        {shown.length === 0 && (
          <p role="status" className="px-3 py-8 text-center text-muted">
            Nothing fits.
          </p>
        )}
        <Command.List hidden={shown.length === 0} className="min-h-0 overflow-y-auto p-1.5" label="Results">
          {shown.map((group) => (
            <Command.Group
              key={group.label}
              heading={group.label}
              className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-hint [&_[cmdk-group-heading]]:text-faint"
            >
              {group.entries.map((entry) => (
                <Command.Item
                  key={entry.id}
                  value={entry.id}
                  onSelect={() => run(entry)}
                  className="group flex h-9 items-center gap-2.5 rounded-control px-2 data-[selected=true]:bg-sunken pointer-coarse:h-11"
                >
                  <span className="grid w-5 shrink-0 place-items-center text-muted">{entry.icon}</span>
                  <span className="min-w-0 truncate">{entry.label}</span>
                  {entry.detail && <span className="min-w-0 truncate text-muted">{entry.detail}</span>}
                  <CornerDownLeft
                    aria-hidden
                    className="ml-auto hidden size-3.5 shrink-0 text-faint group-data-[selected=true]:block"
                  />
                </Command.Item>
              ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
    </Dialog>
  );
}
