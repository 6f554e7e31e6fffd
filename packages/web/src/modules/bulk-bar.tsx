import type { Deployment } from '@berth/core/deployment';
import { X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../components/button.tsx';
import { BULK_ACTIONS, type BulkAction, bulkLabel, fits } from './bulk-actions.ts';
import { BulkDialog } from './bulk-dialog.tsx';

/** What can be done with all that is selected. An action shows only when it fits at least one. */
export function BulkBar({ selected, onClear }: { selected: readonly Deployment[]; onClear: () => void }) {
  const [asking, setAsking] = useState<{ action: BulkAction; deployments: readonly Deployment[] }>();
  return (
    <>
      {selected.length > 0 && (
        <div
          role="toolbar"
          aria-label="Actions for the selection"
          className="fixed inset-x-3 bottom-4 z-20 mx-auto flex w-fit max-w-full animate-rise flex-wrap items-center gap-2 rounded-[10px] bg-panel p-1.5 pl-3.5 shadow-floating max-wide:bottom-[68px]"
        >
          <span className="numeric mr-2 font-medium" role="status">
            {selected.length} selected
          </span>
          {BULK_ACTIONS.map((action) => {
            const deployments = selected.filter((each) => fits(action, each));
            if (deployments.length === 0) return undefined;
            const label = `${bulkLabel(action)}${deployments.length === selected.length ? '' : ` ${deployments.length}`}`;
            return (
              <Button
                key={action}
                look={action === 'delete' ? 'danger' : 'secondary'}
                onClick={() => setAsking({ action, deployments })}
              >
                {label}
                {action === 'delete' && '…'}
              </Button>
            );
          })}
          <IconButton label="Clear the selection" icon={<X aria-hidden className="size-4" />} onClick={onClear} />
        </div>
      )}
      {asking && (
        <BulkDialog
          {...asking}
          onClose={() => setAsking(undefined)}
          onDone={() => {
            setAsking(undefined);
            onClear();
          }}
        />
      )}
    </>
  );
}
