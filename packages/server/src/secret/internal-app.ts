import type { ServerOptions } from 'node:https';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { Database, Queryable } from '../db/database.ts';
import type { Logger } from '../logger.ts';
import { createDeliveryAudit } from './audit-delivery.ts';
import { findTeamOfCredential } from './delivery-credential.ts';
import type { SecretStore } from './secret-store.ts';

/**
 * The server's internal endpoint: whoever reconciles an ExternalSecret (External Secrets, or the operator's own delivery)
 * reads values here, one by one. It has a listener of its own, with HTTPS, that no browser and no router reaches.
 *
 *     GET /internal/secrets/DEPLOYMENT/KEY     authorization: Bearer CREDENTIAL  ->  {"value": "..."}
 *
 * A credential reads the secrets of its own namespace and nothing else. Whatever it may not read is the same 404 as what is
 * not there. External Secrets escapes the slash of `DEPLOYMENT/KEY`; both spellings are one address.
 */
export interface InternalAppDeps {
  database: Database;
  secrets: SecretStore;
  clock: Clock;
  metrics: Registry;
  logger: Logger;
  /** Absent in tests that inject. */
  https?: ServerOptions;
  healthy(): boolean;
}

const SECRETS_ROUTE = '/internal/secrets/';

export function buildInternalApp(deps: InternalAppDeps): FastifyInstance {
  const { database, secrets, metrics, logger } = deps;
  const app = Fastify({
    logger: false,
    bodyLimit: 1024,
    ...(deps.https && { https: deps.https }),
  });
  const deliveries = deliveryCounter(metrics);
  const audit = createDeliveryAudit(deps);

  app.get<{ Params: { '*': string } }>(`${SECRETS_ROUTE}*`, async (request, reply) => {
    const credential = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    const teamId = credential && (await findTeamOfCredential(database, credential));
    if (!teamId) {
      deliveries.inc({ outcome: 'denied' });
      logger.warn({ address: request.ip }, 'secret delivery denied: the credential is unknown');
      await audit.denied({ address: request.ip });
      return refuse(reply, 401, 'the credential is missing or unknown');
    }
    const { deployment, key } = splitAddress(request.params['*']);
    const value = await readValue({ queryable: database, secrets, teamId }, deployment, key);
    deliveries.inc({ outcome: value === undefined ? 'missing' : 'delivered' });
    logger.info({ team: teamId, deployment, key, found: value !== undefined }, 'secret read for delivery');
    if (value === undefined) return refuse(reply, 404, 'there is no such secret');
    await audit.delivered({ teamId, target: `${deployment}/${key}`, address: request.ip });
    return reply.header('cache-control', 'no-store').send({ value });
  });

  app.get('/healthz', async (_request, reply) => {
    const healthy = deps.healthy();
    return reply.code(healthy ? 200 : 503).send({ status: healthy ? 'ok' : 'unhealthy' });
  });

  app.get('/metrics', async (_request, reply) =>
    reply.header('content-type', metrics.contentType).send(await metrics.metrics()),
  );

  app.setNotFoundHandler((_request, reply) => refuse(reply, 404, 'there is no such address'));
  app.setErrorHandler((error, _request, reply) => {
    logger.error({ err: error }, 'internal request failed');
    return refuse(reply, 503, 'try again');
  });
  return app;
}

async function readValue(
  at: { queryable: Queryable; secrets: SecretStore; teamId: string },
  deployment: string,
  key: string,
): Promise<string | undefined> {
  const [row] = await at.queryable.query<{ id: string }>(
    "select id from deployments where team_id = $1 and name = $2 and desired <> 'deleted'",
    [at.teamId, deployment],
  );
  return row && at.secrets.get(at.queryable, { teamId: at.teamId, path: row.id, key });
}

/** A name has no slash and a key has none either, so the first slash divides. */
function splitAddress(path: string): { deployment: string; key: string } {
  const slash = path.indexOf('/');
  return slash < 0 ? { deployment: path, key: '' } : { deployment: path.slice(0, slash), key: path.slice(slash + 1) };
}

function refuse(reply: FastifyReply, status: number, error: string): FastifyReply {
  return reply.code(status).header('cache-control', 'no-store').send({ error });
}

function deliveryCounter(metrics: Registry): Counter<'outcome'> {
  const name = 'berth_secret_deliveries_total';
  const present = metrics.getSingleMetric(name);
  if (present) return present as Counter<'outcome'>;
  return new Counter({ name, help: 'Reads of secrets by outcome', labelNames: ['outcome'], registers: [metrics] });
}
