import type { Body, ConformanceCase } from '../conformance-case.ts';
import { get, pathsIn, post, table } from '../requests.ts';
import { configMap, pod } from './objects.ts';

const names = ({ items }: Body) =>
  items.map(({ metadata }: Body) => metadata.name).filter((name: string) => name !== 'kube-root-ca.crt');

export const selectors: ConformanceCase[] = [
  {
    name: 'labels select',
    async run({ ask, send, namespace }) {
      const maps = pathsIn(namespace).core('configmaps');
      const labels = [{ app: 'x', tier: 'one' }, { app: 'x', tier: 'two' }, { app: 'y' }, {}];
      for (const [at, each] of labels.entries()) await send(post(maps, configMap(`m${at}`, {}, { labels: each })));
      const by = (selector: string) => get(`${maps}?labelSelector=${encodeURIComponent(selector)}`);
      for (const selector of [
        'app=x',
        'app==x,tier!=one',
        'app in (x,y)',
        'app notin (x)',
        'app',
        '!app',
        'app=x,tier',
        'app in (x',
        'a b',
        'app>1',
        'app=',
      ]) {
        await ask(selector, by(selector), names);
      }
    },
  },
  {
    name: 'fields select',
    async run({ ask, send, namespace }) {
      const { core } = pathsIn(namespace);
      await send(post(core('configmaps'), configMap('a')));
      await send(post(core('pods'), pod('p', { ...pod('p').spec, nodeSelector: { no: 'where' } })));
      await ask('by name', get(`${core('configmaps')}?fieldSelector=metadata.name%3Da`), names);
      await ask('by phase', get(`${core('pods')}?fieldSelector=status.phase%3DPending`), names);
      await ask('by node', get(`${core('pods')}?fieldSelector=spec.nodeName%3D`), names);
      await ask('by what is no field', get(`${core('pods')}?fieldSelector=spec.colour%3Dred`));
      await ask('by a field of others', get(`${core('configmaps')}?fieldSelector=status.phase%3DPending`));
      await ask('of events', get(`${core('events')}?fieldSelector=involvedObject.name%3Dnone,type%3DWarning`), names);
      await ask('by nonsense', get(`${core('pods')}?fieldSelector=nonsense`));
    },
  },
  {
    name: 'a long list comes in pages',
    async run({ ask, send, namespace }) {
      // Nothing else makes Leases there.
      const leases = pathsIn(namespace).leases('leases');
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
      for (let at = 0; at < 5; at++)
        await send(post(leases, { ...lease, metadata: { name: `m${at}`, labels: { of: 'pages' } } }));
      const page = (body: Body) => ({
        names: names(body),
        more: body.metadata.continue !== undefined,
        remaining: body.metadata.remainingItemCount,
      });
      const { body: first } = await ask('the first two', get(`${leases}?limit=2`), page);
      const { body: second } = await ask(
        'the next two',
        get(`${leases}?limit=2&continue=${encodeURIComponent(first.metadata.continue)}`),
        page,
      );
      await ask('the last', get(`${leases}?limit=2&continue=${encodeURIComponent(second.metadata.continue)}`), page);
      await ask('of a selection', get(`${leases}?limit=2&labelSelector=of%3Dpages`), page);
      await ask('a token that is none', get(`${leases}?limit=2&continue=nonsense`));
      await ask('a limit that is none', get(`${leases}?limit=few`));
      await ask(
        'a token and a version',
        get(`${leases}?limit=2&resourceVersion=1&continue=${encodeURIComponent(first.metadata.continue)}`),
      );
    },
  },
  {
    name: 'a list as kubectl shows it',
    async run({ ask, send, namespace }) {
      const { core, apps, batch, networking } = pathsIn(namespace);
      const shape = ({ kind, columnDefinitions }: Body) => ({
        kind,
        columns: columnDefinitions.map(({ description: _words, ...column }: Body) => column),
      });
      for (const path of [
        core('pods'),
        core('services'),
        core('configmaps'),
        core('secrets'),
        core('persistentvolumeclaims'),
        core('events'),
        apps('deployments'),
        apps('replicasets'),
        batch('jobs'),
        batch('cronjobs'),
        networking('ingresses'),
        networking('networkpolicies'),
      ]) {
        await ask(path.split('/').at(-1) ?? '', table(path), shape);
      }
      await send(post(core('configmaps'), configMap('a')));
      await ask('its rows', table(`${core('configmaps')}?fieldSelector=metadata.name%3Da`), ({ rows }) =>
        rows.map(({ cells, object }: Body) => ({ cells, kind: object.kind })),
      );
    },
  },
];
