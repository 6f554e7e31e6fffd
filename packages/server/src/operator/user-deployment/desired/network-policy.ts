import { openingName } from '@berth/core/names';
import { LABELS, type UserDeploymentSpec } from '@berth/core/user-deployment';
import { NETWORK_POLICY } from '@berth/kube/schema/resources';
import { type Child, makeChild, type Owner, selectorLabels } from './child.ts';
import { workloadsOf } from './workload.ts';

/**
 * The namespace denies everything; this opens what one deployment needs:
 *
 * - its services reach each other, and nobody else's;
 * - ingress controllers reach the exposed ports, and monitoring those with figures. Where they live differs by cluster, so the rule is
 *   that they do not live in a team's namespace: no team reaches another's pods this way;
 * - names are resolved, wherever DNS runs (in the cluster, or on the node's own address);
 * - the internet is open, private and link-local ranges are not: pods and Services of others, the nodes, and the
 *   cloud's metadata endpoint lie there.
 */
const PRIVATE_IPV4 = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
];
const PRIVATE_IPV6 = ['::1/128', 'fc00::/7', 'fe80::/10'];

/**
 * The policy of the whole deployment, and one for each service that others reach: what opens the web server's port must not open the
 * same port of the database. A deployment of one service alone needs but the one.
 *
 * `before` is the version that is being replaced: it is reached until it is gone. The openings come first, so that what is reached stays so
 * when they are told apart from the whole.
 */
export function networkPoliciesOf(owner: Owner, spec: UserDeploymentSpec, before?: UserDeploymentSpec): Child[] {
  const specs = [spec, ...(before ? [before] : [])];
  const openings = openingsOf(specs);
  const workloads = new Set(specs.flatMap((each) => workloadsOf(each).map(({ name }) => name)));
  const [only] = openings.values();
  if (workloads.size === 1) return [policyOfAll(owner, only)];
  return [...[...openings].map(([service, ports]) => openingOf(owner, service, ports)), policyOfAll(owner, undefined)];
}

function policyOfAll(owner: Owner, openPorts: readonly number[] | undefined): Child {
  const ours = { podSelector: { matchLabels: selectorLabels(owner) } };
  return makeChild(owner, NETWORK_POLICY, {
    name: owner.name,
    body: {
      spec: {
        podSelector: ours.podSelector,
        policyTypes: ['Ingress', 'Egress'],
        ingress: [{ from: [ours] }, ...(openPorts ? [fromOutside(openPorts)] : [])],
        egress: [
          { to: [ours] },
          { ports: ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 53 })) },
          {
            to: [
              { ipBlock: { cidr: '0.0.0.0/0', except: PRIVATE_IPV4 } },
              { ipBlock: { cidr: '::/0', except: PRIVATE_IPV6 } },
            ],
          },
        ],
      },
    },
  });
}

function openingOf(owner: Owner, service: string, ports: readonly number[]): Child {
  return makeChild(owner, NETWORK_POLICY, {
    name: openingName(owner.name, service),
    body: {
      spec: {
        podSelector: { matchLabels: selectorLabels(owner, service) },
        policyTypes: ['Ingress'],
        ingress: [fromOutside(ports)],
      },
    },
  });
}

function fromOutside(ports: readonly number[]) {
  const outsideTeams = { namespaceSelector: { matchExpressions: [{ key: LABELS.team, operator: 'DoesNotExist' }] } };
  return { from: [outsideTeams], ports: ports.map((port) => ({ protocol: 'TCP', port })) };
}

/** The ports that addresses lead to, and those with figures, by service. */
function openingsOf(specs: readonly UserDeploymentSpec[]): Map<string, number[]> {
  const openings = new Map<string, number[]>();
  for (const { exposure = [], services } of specs) {
    const targets = [
      ...exposure.flatMap((each) => [each, ...(each.paths ?? [])]),
      ...services.flatMap(({ name, metrics }) => (metrics ? [{ service: name, port: metrics.port }] : [])),
    ];
    for (const { service, port: name } of targets) {
      const port = services.find((each) => each.name === service)?.ports?.find((each) => each.name === name)?.port;
      if (port === undefined) continue;
      openings.set(
        service,
        [...new Set([...(openings.get(service) ?? []), port])].sort((a, b) => a - b),
      );
    }
  }
  return openings;
}
