import { ISSUER } from '../auth/tokens.ts';
import { invalid, methodNotAllowed, wrong } from '../errors.ts';
import { at } from '../kinds/define.ts';
import { getObject } from '../rules/list.ts';
import { timestamp } from '../rules/rules.ts';
import { type ResourceCall, readObject, ruleRequest } from './resource-call.ts';
import { sendJson } from './respond.ts';

const DEFAULT_SECONDS = 3600;
const SHORTEST_SECONDS = 600;
const LONGEST_SECONDS = 24 * 3600;

/** `kubectl create token`: a token for a service account, for a while. */
export async function handleTokenRequest(call: ResourceCall): Promise<void> {
  if (call.info.verb !== 'create') throw methodNotAllowed(call.kind, call.info.verb);
  const sent = await readObject(call);
  const { object } = getObject(call.rules, ruleRequest(call), call.path.name);
  const wanted = (at(sent, 'spec', 'expirationSeconds') as number | undefined) ?? DEFAULT_SECONDS;
  if (!Number.isInteger(wanted) || wanted < SHORTEST_SECONDS) {
    const error = wrong('spec.expirationSeconds', wanted, 'may not specify a duration less than 10 minutes');
    throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', [error]);
  }
  const audiences = (at(sent, 'spec', 'audiences') as string[] | undefined) ?? [ISSUER];
  const lifetimeSeconds = Math.min(wanted, LONGEST_SECONDS);
  const account = { namespace: call.path.namespace, name: call.path.name, uid: object.metadata.uid! };
  const { token, expires } = call.tokens.issue(account, { audiences, lifetimeSeconds, now: call.now() });
  await sendJson(call.reply, 201, {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: call.path.name, namespace: call.path.namespace, creationTimestamp: timestamp(call.now()) },
    spec: { audiences, expirationSeconds: lifetimeSeconds },
    status: { token, expirationTimestamp: timestamp(expires) },
  });
}
