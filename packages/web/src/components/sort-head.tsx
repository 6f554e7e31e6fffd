import { ArrowDown, ArrowUp } from 'lucide-react';
import { classes } from './classes.ts';

/** The head of a column that sorts by it. */
export function SortHead(props: {
  label: string;
  /** How the table is sorted by this column now. */
  direction: 'ascending' | 'descending' | undefined;
  onSort: () => void;
  align?: 'right';
  className?: string;
}) {
  const { label, direction, onSort, align, className } = props;
  const Icon = direction === 'descending' ? ArrowDown : ArrowUp;
  return (
    <th scope="col" aria-sort={direction} data-align={align} className={className}>
      <button
        type="button"
        onClick={onSort}
        className={classes(
          'group/sort -mx-1 inline-flex items-center gap-1 rounded-small px-1 align-top hover:text-text',
          direction && 'text-text',
          align === 'right' && 'flex-row-reverse',
        )}
      >
        {label}
        <Icon
          aria-hidden
          className={classes(
            'size-3',
            !direction && 'opacity-0 group-hover/sort:opacity-60 group-focus-visible/sort:opacity-60',
          )}
        />
      </button>
    </th>
  );
}
