import type { Deployment } from '@berth/core/deployment';
import { type CurrentUse, METRIC_RANGES, type MetricPoint, type MetricRange, type Metrics } from '@berth/core/metrics';

/** Measurements that follow from the time alone, so that what is fetched and what is streamed agree. */
type MeasuredDeployment = Pick<Deployment, 'id' | 'name' | 'services' | 'addresses'>;

const GAP_EVERY_SECONDS = 2_400;
const GAP_SECONDS = 240;

export function mockMetrics(deployment: MeasuredDeployment, range: MetricRange, now = Date.now()): Metrics {
  const { seconds, stepSeconds } = METRIC_RANGES[range];
  const until = Math.floor(now / 1000 / stepSeconds) * stepSeconds;
  const at = Array.from({ length: seconds / stepSeconds }, (_, index) => until - seconds + (index + 1) * stepSeconds);
  const points = at.map((time) => mockPoint(deployment, time));
  return {
    range,
    stepSeconds,
    at,
    services: deployment.services.map(({ name, limits, desired }) => ({
      name,
      cpu: points.map((point) => point.services[name]?.cpu ?? null),
      memory: points.map((point) => point.services[name]?.memory ?? null),
      ...(limits.cpu !== undefined && { cpuLimit: limits.cpu * Math.max(desired, 1) }),
      ...(limits.memory !== undefined && { memoryLimit: limits.memory * Math.max(desired, 1) }),
    })),
    requests: points.map((point) => point.requests),
    errors: points.map((point) => point.errors),
    ...(deployment.addresses.length === 0 && {
      notice:
        'Requests are not counted: Berth is not told where the router or ingress controller counts them (BERTH_ROUTER_METRICS_URL).',
    }),
  };
}

export function mockPoint({ services, addresses }: MeasuredDeployment, at: number): MetricPoint {
  const gap = at % GAP_EVERY_SECONDS < GAP_SECONDS;
  const wave = (period: number, phase = 0) => (1 + Math.sin((2 * Math.PI * at) / period + phase)) / 2;
  const noise = (seed: number) => Math.abs(Math.sin(at * 12.9898 + seed * 78.233) * 43_758.5453) % 1;
  const load = 0.15 + 0.5 * wave(1_500) * wave(86_400, 1) + 0.1 * noise(1);
  return {
    at,
    services: Object.fromEntries(
      services.map(({ name, limits, ready }, index) => {
        const cpu = (limits.cpu ?? 1) * load * (index + 1) * 0.45;
        const memory = (limits.memory ?? 256 * 2 ** 20) * (0.35 + 0.25 * wave(5_400, index) + 0.02 * noise(index));
        return [name, gap || ready === 0 ? { cpu: null, memory: null } : { cpu, memory: Math.round(memory) }];
      }),
    ),
    requests: gap || addresses.length === 0 ? null : 42 * load + 4 * noise(9),
    errors: gap || addresses.length === 0 ? null : wave(3_000) > 0.93 ? 3 * noise(4) : 0,
  };
}

export function mockUse(deployments: readonly MeasuredDeployment[], now = Date.now()): CurrentUse[] {
  const at = Math.floor(now / 10_000) * 10;
  return deployments.flatMap((deployment) => {
    const point = mockPoint(deployment, at);
    return deployment.services.map(({ name, ready, desired, limits }) => {
      const { cpu, memory } = point.services[name] ?? {};
      return {
        deployment: deployment.id,
        name: deployment.name,
        service: name,
        pods: ready,
        ...(typeof cpu === 'number' && { cpu }),
        ...(typeof memory === 'number' && { memory }),
        ...(limits.cpu !== undefined && { cpuLimit: limits.cpu * Math.max(desired, 1) }),
        ...(limits.memory !== undefined && { memoryLimit: limits.memory * Math.max(desired, 1) }),
      };
    });
  });
}
