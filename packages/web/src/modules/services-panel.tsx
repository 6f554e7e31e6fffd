import type { Deployment } from '@berth/core/deployment';
import type { CurrentUse } from '@berth/core/metrics';
import { formatBytes, formatCores, quantity } from '@berth/core/quantity';
import { RotateCw, Scaling, ScrollText, SquareTerminal } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import { IconButton } from '../components/button.tsx';
import { Panel } from '../components/panel.tsx';
import { isReplaced, mayChange } from './deployment-actions.ts';
import { bytesOf, coresOf } from './metrics-data.ts';
import { paths } from './paths.ts';
import { ServiceStateBadge } from './state-badge.tsx';
import { useCurrentUse } from './use-current-use.ts';
import { useDialog } from './use-dialog.ts';

type Service = Deployment['services'][number];

/** What stands beside the state anyway. */
const SAYS_PODS = /^\d+ of \d+ pods? (is|are) ready\.$/;

/** Each service: what it runs, how it is reached, what it may use, how it does, and what can be done with it alone. */
export function ServicesPanel({ deployment }: { deployment: Deployment }) {
  const { services } = deployment;
  const use = useCurrentUse(deployment);
  return (
    <Panel title="Services" count={services.length}>
      <ul>
        {services.map((service) => (
          <li key={service.name} className="border-b border-line px-3.5 py-3 last:border-0">
            <ServiceHead deployment={deployment} service={service} />
            <p className="mono mt-0.5 truncate text-muted" title={service.image}>
              {service.image}
            </p>
            {service.message && service.state !== 'Running' && !SAYS_PODS.test(service.message) && (
              <p className="mt-1 text-pretty wrap-anywhere">{service.message}</p>
            )}
            <ServiceFacts service={service} use={use(service.name)} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function ServiceHead({ deployment, service }: { deployment: Deployment; service: Service }) {
  const { teamId, name, permissions, desired } = deployment;
  const { open } = useDialog();
  const navigate = useNavigate();
  const acting = mayChange(deployment) && desired === 'running';
  const mayRead = permissions.includes('deployment:logs');
  const logs = paths.logs(teamId, name, service.name);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
      <h3 className="font-semibold">
        {mayRead ? (
          <Link to={logs} title={`Logs of ${service.name}`} className="hover:underline">
            {service.name}
          </Link>
        ) : (
          service.name
        )}
      </h3>
      <ServiceStateBadge service={service} />
      <span className="numeric text-muted">{podWords(service)}</span>
      <span className="-my-1 -mr-2 ml-auto flex">
        {acting && !isReplaced(service) && (
          <IconButton
            label={`Scale ${service.name}`}
            icon={<Scaling aria-hidden className="size-4" strokeWidth={1.75} />}
            onClick={() => open('scale', { of: service.name })}
          />
        )}
        {acting && (
          <IconButton
            label={`Restart ${service.name}`}
            icon={<RotateCw aria-hidden className="size-4" strokeWidth={1.75} />}
            onClick={() => open('restart', { of: service.name })}
          />
        )}
        {mayRead && (
          <IconButton
            label={`Logs of ${service.name}`}
            icon={<ScrollText aria-hidden className="size-4" strokeWidth={1.75} />}
            onClick={() => void navigate(logs)}
          />
        )}
        {acting && permissions.includes('deployment:exec') && (
          <IconButton
            label={`Shell in ${service.name}`}
            icon={<SquareTerminal aria-hidden className="size-4" strokeWidth={1.75} />}
            onClick={() => void navigate(paths.shell(teamId, name, service.name))}
          />
        )}
      </span>
    </div>
  );
}

function ServiceFacts({ service, use }: { service: Service; use: CurrentUse | undefined }) {
  const { ports, limits, volumes, restarts } = service;
  const facts: [string, ReactNode][] = [
    ...(ports.length > 0
      ? [['Ports', ports.map((each) => `${each.name} ${each.port}`).join(', ')] as [string, ReactNode]]
      : []),
    ...(use?.cpu === undefined ? [] : [['CPU', coresOf(use.cpu)] as [string, ReactNode]]),
    ...(use?.memory === undefined ? [] : [['Memory', bytesOf(use.memory)] as [string, ReactNode]]),
    ['Limits', limitWords(limits)],
    ...volumes.map((volume): [string, ReactNode] => ['Volume', `${volume.name} ${formatBytes(quantity(volume.size))}`]),
    [
      'Restarts',
      restarts > 0 ? (
        <b key="restarts" className="text-warn">
          {restarts}
        </b>
      ) : (
        restarts
      ),
    ],
  ];
  return (
    <dl className="mt-1.5 flex flex-wrap gap-x-5 gap-y-0.5">
      {facts.map(([term, value]) => (
        <div key={`${term} ${String(value)}`} className="flex gap-1.5 whitespace-nowrap">
          <dt className="text-faint">{term}</dt>
          <dd className="numeric text-muted">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function podWords({ desired, ready, updated }: Service): string {
  if (desired === 0) return 'no pods';
  const pods = `${ready} of ${desired} ${desired === 1 ? 'pod' : 'pods'} ready`;
  return updated === undefined ? pods : `${pods}, ${updated} new`;
}

function limitWords({ cpu, memory }: Service['limits']): string {
  const words = [
    cpu !== undefined && `${formatCores(cpu)} ${cpu === 1 ? 'core' : 'cores'}`,
    memory !== undefined && formatBytes(memory),
  ].filter(Boolean);
  return words.length > 0 ? words.join(', ') : 'none';
}
