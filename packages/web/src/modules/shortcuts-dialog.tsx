import { Dialog, DialogBody } from '../components/dialog.tsx';
import { Kbd } from '../components/kbd.tsx';
import { COMMAND_KEY } from './command-key.ts';
import { PLACES } from './navigation.ts';

const SHORTCUTS: readonly [string[], string][] = [
  [[`${COMMAND_KEY}K`], 'Search, jump, do'],
  [['c'], 'Deploy from the catalogue'],
  [['/'], 'Filter this list'],
  ...PLACES.flatMap((place): [string[], string][] =>
    place.shortcut ? [[['g', place.shortcut], `Go to ${place.label}`]] : [],
  ),
  [['j'], 'Next row of a list, the revision before'],
  [['k'], 'Row above, the revision after'],
  [['x'], 'Select the row'],
  [['Enter'], 'Open what has the focus'],
  [['?'], 'This help'],
  [['Esc'], 'Close what is on top'],
];

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Keyboard shortcuts">
      <DialogBody>
        <dl className="grid grid-cols-[1fr_auto] gap-y-2.5 pb-2">
          {SHORTCUTS.map(([keys, words]) => (
            <div key={words} className="col-span-2 grid grid-cols-subgrid">
              <dt>{words}</dt>
              <dd className="flex items-center gap-1">
                {keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </DialogBody>
    </Dialog>
  );
}
