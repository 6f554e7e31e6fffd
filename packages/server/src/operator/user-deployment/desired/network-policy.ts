import { LABELS, type UserDeploymentSpec } from '@berth/core/user-deployment';
import { NETWORK_POLICY } from '@berth/kube/schema/resources';
import { type Child, makeChild, type Owner, selectorLabels } from './child.ts';

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

/** `before` is the version that is being replaced: it is reached until it is gone. */
export function networkPolicyOf(owner: Owner, spec: UserDeploymentSpec, before?: UserDeploymentSpec): Child {
  const ours = { podSelector: { matchLabels: selectorLabels(owner) } };
  const exposed = exposedPorts([spec, ...(before ? [before] : [])]);
  const outsideTeams = { namespaceSelector: { matchExpressions: [{ key: LABELS.team, operator: 'DoesNotExist' }] } };
  const fromRouter = { from: [outsideTeams], ports: exposed.map((port) => ({ protocol: 'TCP', port })) };
  return makeChild(owner, NETWORK_POLICY, {
    name: owner.name,
    body: {
      spec: {
        podSelector: ours.podSelector,
        policyTypes: ['Ingress', 'Egress'],
        ingress: [{ from: [ours] }, ...(exposed.length > 0 ? [fromRouter] : [])],
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

function exposedPorts(specs: readonly UserDeploymentSpec[]): number[] {
  const ports = specs.flatMap(({ exposure = [], services }) => {
    const targets = [
      ...exposure.flatMap((each) => [each, ...(each.paths ?? [])]),
      ...services.flatMap(({ name, metrics }) => (metrics ? [{ service: name, port: metrics.port }] : [])),
    ];
    return targets.map(
      ({ service, port }) =>
        services.find((each) => each.name === service)?.ports?.find((each) => each.name === port)?.port,
    );
  });
  return [...new Set(ports.filter((port) => port !== undefined))].sort((a, b) => a - b);
}
