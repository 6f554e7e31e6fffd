import type { Body, ConformanceCase } from '../conformance-case.ts';
import { get, merge, pathsIn, post } from '../requests.ts';
import { deployment, pod, podSpec } from './objects.ts';

const label = (way: string, level: string) => ({
  metadata: { labels: { [`pod-security.kubernetes.io/${way}`]: level } },
});
const bare = { containers: [{ name: 'main', image: 'berth.dev/whoami:1' }] };
const rootful = {
  hostNetwork: true,
  volumes: [{ name: 'host', hostPath: { path: '/' } }],
  containers: [{ name: 'main', image: 'x', securityContext: { privileged: true } }],
};

export const podSecurity: ConformanceCase[] = [
  ...['baseline', 'restricted'].map((level) => ({
    name: `the level ${level} is enforced`,
    run: async ({ ask, send, namespace }: Parameters<ConformanceCase['run']>[0]) => {
      const pods = `${pathsIn(namespace).core('pods')}?dryRun=All`;
      await send(merge(`/api/v1/namespaces/${namespace}`, label('enforce', level)));
      await ask('what is fit', post(pods, pod('p', podSpec())), ({ metadata }) => metadata.name);
      await ask('what says nothing', post(pods, pod('p', bare)), ({ metadata }) => metadata.name);
      await ask('what asks for much', post(pods, pod('p', rootful)));
      await ask(
        'added rights',
        post(
          pods,
          pod(
            'p',
            podSpec(undefined, {
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'], add: ['NET_ADMIN'] } },
            }),
          ),
        ),
      );
      await ask(
        'a deployment of it',
        post(`${pathsIn(namespace).apps('deployments')}?dryRun=All`, deployment('web', {}, rootful)),
        ({ metadata }) => metadata.name,
      );
    },
  })),
  {
    name: 'warnings are given',
    async run({ ask, send, namespace }) {
      await send(merge(`/api/v1/namespaces/${namespace}`, label('warn', 'restricted')));
      await ask(
        'a pod',
        post(`${pathsIn(namespace).core('pods')}?dryRun=All`, pod('p', bare)),
        ({ metadata }) => metadata.name,
      );
      await ask(
        'a deployment',
        post(`${pathsIn(namespace).apps('deployments')}?dryRun=All`, deployment('web', {}, bare)),
        ({ metadata }) => metadata.name,
      );
    },
  },
  {
    name: 'what is refused is told on the replica set',
    async run({ send, until, namespace }) {
      const { apps } = pathsIn(namespace);
      await send(merge(`/api/v1/namespaces/${namespace}`, label('enforce', 'restricted')));
      await send(post(apps('deployments'), deployment('web', {}, bare)));
      const failure = ({ status }: Body) => status.conditions?.find(({ type }: Body) => type === 'ReplicaFailure');
      await until('there', get(apps('replicasets')), {
        holds: ({ items }) => failure(items[0]) !== undefined,
        show: ({ items }) => failure(items[0]),
      });
    },
  },
];
