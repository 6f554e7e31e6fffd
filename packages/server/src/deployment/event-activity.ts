import { serviceObjectName, volumeClaimName } from '@berth/core/names';
import type { KubeObject } from '@berth/kube/schema/object';
import type { DeploymentRow } from './deployment-row.ts';

/** A Kubernetes Event, as far as it is told to people. */
export interface KubeEvent extends KubeObject {
  involvedObject: { kind?: string; name?: string; namespace?: string };
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  series?: { count?: number };
  lastTimestamp?: string;
  eventTime?: string;
}

export interface EventStory {
  row: DeploymentRow;
  service: string | undefined;
  level: 'info' | 'warning';
  message: string;
  at: Date;
  sourceKey: string;
}

/**
 * Of the Normal events, those that tell a person something; the rest is the machinery at work, the operator's steps included: what
 * comes of them is told as a change of phase.
 */
const NORMAL_REASONS = new Set(['Started', 'Killing', 'ProvisioningSucceeded', 'VolumeResizeSuccessful']);
/** The operator's word of an update that it stopped: told with the revision that failed. */
const UPDATE_STOPPED = 'UpdateStopped';
const PROBE_FAILED = 'Unhealthy';
/** The kubelet says these after each try, beside an event that says why. */
const ECHOES = new Set(['Error: ErrImagePull', 'Error: ImagePullBackOff']);
const LASTING_FROM = 4;
const LONGEST_MESSAGE = 1_000;

/** What an event says about which deployment, or undefined for one that is not worth telling or not about any. */
export function eventStory(event: KubeEvent, rows: readonly DeploymentRow[], now: Date): EventStory | undefined {
  const warning = event.type === 'Warning';
  const about = event.involvedObject;
  if (!warning && !NORMAL_REASONS.has(event.reason ?? '')) return undefined;
  if (event.reason === UPDATE_STOPPED || ECHOES.has(event.message ?? '')) return undefined;
  if (event.reason === PROBE_FAILED && !isLastingProbeFailure(event)) return undefined;
  const owner = ownerOf(about.name ?? '', about.kind ?? '', rows);
  if (!owner) return undefined;
  const text = event.message?.trim() || event.reason || 'something happened';
  return {
    ...owner,
    level: warning ? 'warning' : 'info',
    message: (event.reason && text !== event.reason ? `${event.reason}: ${text}` : text).slice(0, LONGEST_MESSAGE),
    at: timeOf(event) ?? now,
    sourceKey: `event/${event.metadata.uid ?? event.metadata.name}/${occasionOf(event)}`,
  };
}

/** Every start fails a probe or two. A startup probe that never succeeds ends in the container's end, which is told. */
function isLastingProbeFailure(event: KubeEvent): boolean {
  return countOf(event) >= LASTING_FROM && !event.message?.startsWith('Startup probe');
}

function countOf(event: KubeEvent): number {
  return Math.max(event.series?.count ?? event.count ?? 1, 1);
}

/** An event that goes on counts up: it is told again at 2, 4, 8, ... times. */
function occasionOf(event: KubeEvent): number {
  return Math.floor(Math.log2(countOf(event)));
}

function timeOf(event: KubeEvent): Date | undefined {
  const text = event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp;
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time);
}

/**
 * Events carry no labels, so the name decides. Pods and ReplicaSets are named after the service's object with more behind a hyphen;
 * of several that fit (`shop-web` and `shop-web-api`) the longest is meant.
 */
function ownerOf(
  name: string,
  kind: string,
  rows: readonly DeploymentRow[],
): { row: DeploymentRow; service: string | undefined } | undefined {
  if (kind === 'UserDeployment') {
    const row = rows.find((each) => each.name === name);
    return row && { row, service: undefined };
  }
  const candidates = rows.flatMap((row) =>
    row.spec.services.flatMap((service) => [
      { row, service: service.name, object: serviceObjectName(row.name, service.name) },
      ...(service.volumes ?? []).map((volume) => ({
        row,
        service: service.name,
        object: volumeClaimName(row.name, service.name, volume.name),
      })),
    ]),
  );
  const fitting = candidates.filter(({ object }) => name === object || name.startsWith(`${object}-`));
  const best = fitting.sort((a, b) => b.object.length - a.object.length)[0];
  return best && { row: best.row, service: best.service };
}

/** What to keep of an event in memory. */
export function slimEvent(event: KubeEvent): KubeEvent {
  const { apiVersion, kind, involvedObject, type, reason, message, count, series, lastTimestamp, eventTime } = event;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = event.metadata;
  const metadata = { name, namespace, uid, resourceVersion, creationTimestamp };
  return {
    apiVersion,
    kind,
    metadata,
    involvedObject,
    type,
    reason,
    message,
    count,
    series,
    lastTimestamp,
    eventTime,
  } as KubeEvent;
}
