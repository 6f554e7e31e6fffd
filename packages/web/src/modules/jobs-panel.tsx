import type { Deployment } from '@berth/core/deployment';
import { Panel } from '../components/panel.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { StateDot } from '../components/state-dot.tsx';
import type { Tone } from '../components/tone.ts';
import { whenWords } from './schedule-words.ts';

type Job = Deployment['jobs'][number];
const TONES: Record<Job['state'], Tone> = {
  Waiting: 'info',
  Running: 'info',
  Succeeded: 'ok',
  Failed: 'bad',
  Scheduled: 'neutral',
  Stopped: 'sleep',
};

/** Jobs with their state, when they run and when they last did. */
export function JobsPanel({ deployment }: { deployment: Deployment }) {
  const { jobs } = deployment;
  if (jobs.length === 0) return undefined;
  return (
    <Panel title="Jobs" count={jobs.length}>
      <ul>
        {jobs.map((job) => (
          <li key={job.name} className="border-b border-line px-3.5 py-2.5 last:border-0">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
              <h3 className="font-semibold">{job.name}</h3>
              <StateDot tone={TONES[job.state]} moving={job.state === 'Running' || job.state === 'Waiting'}>
                {job.state}
              </StateDot>
              <span className="ml-auto text-muted">
                {job.lastRunAt ? (
                  <>
                    last run <RelativeTime at={job.lastRunAt} ago />
                  </>
                ) : (
                  'never ran'
                )}
              </span>
            </div>
            <p className="text-muted" title={job.schedule}>
              {whenWords(job)}
            </p>
            {job.message && job.state !== 'Succeeded' && <p className="text-pretty wrap-anywhere">{job.message}</p>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
