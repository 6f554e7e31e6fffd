import type { Deployment } from '@berth/core/deployment';
import { Banner } from '../components/banner.tsx';
import { Button, ButtonLink } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { StateDot } from '../components/state-dot.tsx';
import type { Tone } from '../components/tone.ts';
import { DEPLOYMENT_ACTIONS, mayChange } from './deployment-actions.ts';
import { serviceStateOf } from './deployment-state.ts';
import { paths } from './paths.ts';
import type { UpdateNews } from './update-words.ts';
import { usePendingActions, useRunAction } from './use-deployment-actions.ts';
import { useDialog } from './use-dialog.ts';

const TONES: Record<UpdateNews['state'], Tone> = { progressing: 'info', stopped: 'bad', paused: 'sleep' };

/** While the wanted version is not what runs: how far it is, or what stopped it, what serves meanwhile and what to do. */
export function UpdateBanner(props: {
  deployment: Deployment;
  news: UpdateNews;
  /** Beside the page that is about something else: without lines and lists. */
  brief: boolean;
}) {
  const { deployment, news, brief } = props;
  return (
    <Banner
      className="mb-3"
      tone={TONES[news.state]}
      title={news.title}
      action={
        news.state === 'progressing' ? undefined : news.state === 'paused' ? (
          <ResumeButton deployment={deployment} />
        ) : (
          <StoppedActions deployment={deployment} news={news} />
        )
      }
      below={
        brief ? undefined : news.state === 'progressing' ? (
          <ProgressList deployment={deployment} />
        ) : news.state === 'stopped' ? (
          <LastLines deployment={deployment} />
        ) : undefined
      }
    >
      {news.message}
      {news.state === 'stopped' && deployment.update && (
        <>
          {' '}
          <span className="whitespace-nowrap">
            Stopped <RelativeTime at={deployment.update.since} ago />.
          </span>
        </>
      )}
    </Banner>
  );
}

function StoppedActions({ deployment, news }: { deployment: Deployment; news: UpdateNews }) {
  const { open } = useDialog();
  const { teamId, name, permissions, update } = deployment;
  const { serving } = news;
  return (
    <>
      {mayChange(deployment) && serving !== undefined && (
        <Button onClick={() => open('rollback', { to: String(serving) })}>Roll back to {serving}</Button>
      )}
      {mayChange(deployment) && (
        <ButtonLink look="secondary" to={paths.deployment(teamId, name, 'settings')}>
          Edit settings
        </ButtonLink>
      )}
      {permissions.includes('deployment:logs') && (
        <ButtonLink
          look="secondary"
          to={update?.service ? paths.logs(teamId, name, update.service) : paths.deployment(teamId, name, 'logs')}
        >
          Open logs
        </ButtonLink>
      )}
    </>
  );
}

function ResumeButton({ deployment }: { deployment: Deployment }) {
  const run = useRunAction();
  const pending = usePendingActions().get(deployment.id);
  if (!mayChange(deployment)) return undefined;
  return (
    <Button pending={pending === DEPLOYMENT_ACTIONS.resume.doing} onClick={() => void run(deployment, 'resume')}>
      Resume
    </Button>
  );
}

/** What the pod that failed said last. */
function LastLines({ deployment }: { deployment: Deployment }) {
  const lines = deployment.update?.lastLines ?? [];
  if (lines.length === 0) return undefined;
  const text = lines.join('\n');
  const label = `Last lines of ${deployment.update?.service ?? 'the pod that failed'}`;
  return (
    <div className="relative rounded-control border border-line bg-panel">
      <p className="border-b border-line px-3 py-1 pr-10 text-hint text-muted">{label}</p>
      <div className="absolute top-0 right-0.5 [&_button]:h-7!">
        <CopyButton text={text} label="Copy the last lines" />
      </div>
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
        tabIndex={0}
        className="max-h-40 overflow-auto px-3 py-2 -outline-offset-2"
      >
        <pre className="w-max">{text}</pre>
      </section>
    </div>
  );
}

function ProgressList({ deployment }: { deployment: Deployment }) {
  const replaced = new Set(deployment.update?.replaces);
  return (
    <ul aria-label="How far each service is" className="grid gap-1">
      {deployment.services.map((service) => {
        const { tone, words, moving } = serviceStateOf(service);
        const done = service.updated === undefined && service.state === 'Running';
        return (
          <li
            key={service.name}
            className="grid grid-cols-[88px_minmax(0,1fr)] wide:grid-cols-[160px_minmax(0,1fr)] gap-3"
          >
            <span className="truncate font-medium">{service.name}</span>
            <span className="flex flex-wrap items-center gap-x-3">
              <StateDot tone={done ? 'ok' : tone === 'ok' ? 'info' : tone} moving={!done && (moving || tone === 'ok')}>
                {done ? 'Up to date' : tone === 'ok' ? 'Rolling' : words}
              </StateDot>
              <span className="numeric text-muted">
                {service.updated === undefined
                  ? `${service.ready} of ${service.desired} ready`
                  : `${service.updated} of ${service.desired} new ready, ${Math.max(0, service.ready - service.updated)} old`}
                {replaced.has(service.name) && ', replaced'}
              </span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}
