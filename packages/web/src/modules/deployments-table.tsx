import type { Deployment } from '@berth/core/deployment';
import { memo, useCallback, useRef } from 'react';
import { SpaceRow } from '../components/space-row.tsx';
import { useListKeys } from '../components/use-list-keys.ts';
import { DeploymentHeads, DeploymentRow } from './deployment-row.tsx';
import { RowMenu } from './row-menu.tsx';
import { usePendingActions } from './use-deployment-actions.ts';
import { useRowWindow } from './use-row-window.ts';

const COLUMNS = 7;

/** Deployments with selection. Shift and click selects a range; thousands of rows stay smooth. */
export function DeploymentsTable(props: {
  shown: readonly Deployment[];
  selectedIds: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string>) => void;
  sort: string;
  onSort: (sort: string) => void;
}) {
  const { shown, selectedIds, onSelect, sort, onSort } = props;
  const { body, indexes, before, after } = useRowWindow(shown.length);
  const lastIndex = useRef<number>(undefined);
  const selectedHere = shown.filter((each) => selectedIds.has(each.id)).length;
  const toggle = (index: number, selected: boolean, range: boolean) => {
    const from = range && lastIndex.current !== undefined ? Math.min(lastIndex.current, index) : index;
    const to = range && lastIndex.current !== undefined ? Math.max(lastIndex.current, index) : index;
    const next = new Set(selectedIds);
    for (const each of shown.slice(from, to + 1)) {
      if (selected) next.add(each.id);
      else next.delete(each.id);
    }
    lastIndex.current = index;
    onSelect(next);
  };
  const latestToggle = useRef(toggle);
  latestToggle.current = toggle;
  const onToggle = useCallback<typeof toggle>((...change) => latestToggle.current(...change), []);
  const pending = usePendingActions();
  useListKeys(body, {
    x: (row) => {
      const index = shown.findIndex((each) => each.id === row.dataset.id);
      const id = shown[index]?.id;
      if (id !== undefined) toggle(index, !selectedIds.has(id), false);
    },
  });
  const toggleAll = () => onSelect(selectedHere === shown.length ? new Set() : new Set(shown.map((each) => each.id)));
  return (
    <div ref={body} className="rounded-panel border border-line bg-panel">
      <label
        htmlFor="select-all-narrow"
        className="flex items-center gap-2.5 border-b border-line px-3.5 py-2.5 text-hint text-muted wide:hidden"
      >
        <SelectAll
          id="select-all-narrow"
          some={selectedHere > 0}
          all={selectedHere === shown.length}
          onChange={toggleAll}
        />
        Select all {shown.length}
      </label>
      <table className="data-table wide:table-fixed" aria-rowcount={shown.length + 1}>
        <caption className="sr-only">Deployments by name</caption>
        <thead>
          <DeploymentHeads
            sorting={{ sort, onSort }}
            before={
              <th scope="col" className="wide:w-10 pr-0!">
                <SelectAll
                  label="Select all"
                  some={selectedHere > 0}
                  all={selectedHere === shown.length}
                  onChange={toggleAll}
                />
              </th>
            }
            after={
              <th scope="col" className="wide:w-12">
                <span className="sr-only">Actions</span>
              </th>
            }
          />
        </thead>
        <tbody>
          <SpaceRow height={before} columns={COLUMNS} />
          {indexes.map((index) => {
            const deployment = shown[index];
            if (!deployment) return undefined;
            const selected = selectedIds.has(deployment.id);
            return (
              <SelectableRow
                key={deployment.id}
                deployment={deployment}
                pending={pending.get(deployment.id)}
                index={index}
                selected={selected}
                onToggle={onToggle}
              />
            );
          })}
          <SpaceRow height={after} columns={COLUMNS} />
        </tbody>
      </table>
    </div>
  );
}

/** Drawn again only when something of it changed: scrolling moves rows, it does not redraw them. */
const SelectableRow = memo(function SelectableRow(props: {
  deployment: Deployment;
  pending: string | undefined;
  index: number;
  selected: boolean;
  onToggle: (index: number, selected: boolean, range: boolean) => void;
}) {
  const { deployment, pending, index, selected, onToggle } = props;
  return (
    <DeploymentRow
      deployment={deployment}
      pending={pending}
      index={index}
      selected={selected}
      before={
        <td data-narrow="select" className="pr-0!">
          <input
            type="checkbox"
            className="choice-box relative z-10 block"
            aria-label={`Select ${deployment.name}`}
            checked={selected}
            onChange={(event) =>
              onToggle(index, event.target.checked, (event.nativeEvent as MouseEvent).shiftKey === true)
            }
          />
        </td>
      }
      after={
        <td data-narrow="hide" className="py-0! pl-0!">
          <RowMenu deployment={deployment} />
        </td>
      }
    />
  );
});

function SelectAll(props: { id?: string; label?: string; some: boolean; all: boolean; onChange: () => void }) {
  const { id, label, some, all, onChange } = props;
  return (
    <input
      id={id}
      type="checkbox"
      className="choice-box block"
      aria-label={label}
      checked={all}
      ref={(box) => {
        if (box) box.indeterminate = some && !all;
      }}
      onChange={onChange}
    />
  );
}
