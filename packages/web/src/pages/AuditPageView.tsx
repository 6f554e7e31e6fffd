import type { AuditRecord } from '@berth/core/audit';
import type { Team } from '@berth/core/tenant';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Select } from '../components/field.tsx';
import { FilterInput } from '../components/filter-input.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Panel } from '../components/panel.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { StateDot } from '../components/state-dot.tsx';
import type { Tone } from '../components/tone.ts';
import { auditWords } from '../modules/audit-words.ts';
import { ErrorPanel } from '../modules/error-panel.tsx';

const OUTCOMES: Record<AuditRecord['outcome'], { word: string; tone: Tone }> = {
  allowed: { word: 'Allowed', tone: 'ok' },
  denied: { word: 'Denied', tone: 'bad' },
  failed: { word: 'Failed', tone: 'warn' },
};

export interface AuditPageViewProps {
  team: Team;
  records: readonly AuditRecord[] | undefined;
  error: Error | undefined;
  retry: () => void;
  query: string;
  onQuery: (query: string) => void;
  outcome: string;
  onOutcome: (outcome: string) => void;
  more: (() => void) | undefined;
  loadingMore: boolean;
}

export function AuditPageView(props: AuditPageViewProps) {
  const { team, records, error, retry, query, onQuery, outcome, onOutcome, more, loadingMore } = props;
  const needle = query.trim().toLowerCase();
  const shown = records?.filter(
    (record) => (outcome === '' || record.outcome === outcome) && textOf(record).includes(needle),
  );
  return (
    <>
      <PageHeader
        title="Audit"
        place={team.name}
        actions={
          <>
            <Select
              aria-label="Outcome"
              value={outcome}
              onChange={(event) => onOutcome(event.target.value)}
              className="h-8 w-36 pointer-coarse:h-10"
            >
              <option value="">Every outcome</option>
              {Object.entries(OUTCOMES).map(([value, { word }]) => (
                <option key={value} value={value}>
                  {word}
                </option>
              ))}
            </Select>
            <FilterInput label="Filter by person, action or target" value={query} onChange={onQuery} />
          </>
        }
      />
      {error && !records && <ErrorPanel what="The audit log" error={error} retry={retry} />}
      {!(error && !records) && (
        <Panel>
          {!records && <SkeletonRows rows={8} label="Loading the audit log" />}
          {shown?.length === 0 && (
            <EmptyState title={records?.length === 0 ? 'Nothing is recorded yet' : 'No record fits'}>
              Every change and every refusal in this team is recorded here, in a chain in which nothing can be altered
              unnoticed.
            </EmptyState>
          )}
          {shown && shown.length > 0 && <AuditTable records={shown} />}
        </Panel>
      )}
      {more && (
        <div className="mt-3.5 flex justify-center">
          <Button pending={loadingMore} onClick={more}>
            Show older
          </Button>
        </div>
      )}
    </>
  );
}

function AuditTable({ records }: { records: readonly AuditRecord[] }) {
  return (
    <table className="data-table">
      <caption className="sr-only">Audit records, newest first</caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">Target</th>
          <th scope="col">Outcome</th>
          <th scope="col" data-align="right">
            Record
          </th>
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <tr key={record.sequence}>
            <td data-narrow="end" className="wide:w-20 text-muted">
              <RelativeTime at={record.at} />
            </td>
            <td data-narrow="detail" className="wide:max-w-[200px] truncate text-muted">
              {record.actor}
            </td>
            <td data-narrow="title" className="wide:max-w-[300px]">
              <span className="block truncate font-medium" title={record.action}>
                {auditWords(record)}
              </span>
            </td>
            <td data-narrow="hide" className="wide:max-w-[240px]">
              <span className="block truncate">
                {record.target}
                {record.detail && <span className="text-muted"> {record.detail}</span>}
              </span>
            </td>
            <td data-narrow="state">
              <StateDot tone={OUTCOMES[record.outcome].tone}>{OUTCOMES[record.outcome].word}</StateDot>
            </td>
            <td data-narrow="hide" data-align="right">
              <span className="mono text-faint" title={`Hash ${record.hash}`}>
                {record.sequence}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function textOf(record: AuditRecord): string {
  return [record.actor, record.action, auditWords(record), record.target, record.detail, record.route]
    .join(' ')
    .toLowerCase();
}
