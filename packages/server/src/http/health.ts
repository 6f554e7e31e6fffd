import type { FastifyInstance } from 'fastify';
import { answerProbe, type Probes } from '../processes/probes.ts';

const HEALTH_PATHS = ['/livez', '/readyz', '/healthz'];

/** Whoever probes names no host of ours, and is told nothing that is not for everybody. */
export function isHealthPath(url: string): boolean {
  return HEALTH_PATHS.includes(url.split('?')[0] ?? '');
}

export function mountHealth(app: FastifyInstance, probes: Probes): void {
  for (const path of HEALTH_PATHS) {
    app.get(path, async (request, reply) => {
      const answer = await answerProbe(probes, request.url);
      return reply
        .code(answer?.status ?? 404)
        .type('text/plain')
        .header('cache-control', 'no-store')
        .send(answer?.text);
    });
  }
}
