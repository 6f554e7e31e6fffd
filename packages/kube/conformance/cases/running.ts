import { EXEC_CHANNELS, exec, readExecOutcome } from '../../src/client/exec.ts';
import { portForward } from '../../src/client/port-forward.ts';
import type { Body, ConformanceCase, Scene } from '../conformance-case.ts';
import { get, merge, pathsIn, post, remove } from '../requests.ts';
import { deployment, job, pod, podSpec, service } from './objects.ts';

const container = ({ status }: Body) => status.containerStatuses?.[0];
const serving = (version: string) =>
  podSpec(undefined, {
    ports: [{ name: 'http', containerPort: 8080 }],
    env: [{ name: 'VERSION', value: version }],
    readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 1 },
  });
const runs = ({ status }: Body) => status.phase === 'Running' && container({ status })?.state.running !== undefined;

/** A pod that goes on for long. */
async function running({ send, until, namespace }: Scene, script = 'while true; do sleep 1; done') {
  const path = `${pathsIn(namespace).core('pods')}/p`;
  await send(post(pathsIn(namespace).core('pods'), pod('p', podSpec(script))));
  await until('runs', get(path), { holds: runs, show: ({ status }) => status.phase });
  return path;
}

async function inside({ client, namespace }: Scene, command: string[]) {
  const output = { stdout: '', stderr: '' };
  let outcome: unknown;
  const { frames } = await exec(client, { namespace, pod: 'p', command });
  for await (const frame of frames as AsyncIterable<Buffer>) {
    const payload = frame.subarray(1);
    if (frame[0] === EXEC_CHANNELS.stdout) output.stdout += payload.toString();
    else if (frame[0] === EXEC_CHANNELS.stderr) output.stderr += payload.toString();
    else if (frame[0] === EXEC_CHANNELS.error) outcome = readExecOutcome(payload) ?? outcome;
  }
  return { ...output, outcome };
}

const cases: ConformanceCase[] = [
  {
    name: 'a pod runs to its end',
    async run({ send, until, ask, namespace }) {
      const { core } = pathsIn(namespace);
      const once = (script: string) => ({ ...podSpec(script), restartPolicy: 'Never' });
      await send(post(core('pods'), pod('good', once('echo one; echo two >&2; exit 0'))));
      await send(post(core('pods'), pod('bad', once('echo no; exit 3'))));
      const ended = ({ status }: Body) => ({
        phase: status.phase,
        ready: container({ status }).ready,
        restarts: container({ status }).restartCount,
        code: container({ status }).state.terminated?.exitCode,
        reason: container({ status }).state.terminated?.reason,
      });
      await until('well', get(`${core('pods')}/good`), {
        holds: ({ status }) => status.phase === 'Succeeded',
        show: ended,
      });
      await until('badly', get(`${core('pods')}/bad`), {
        holds: ({ status }) => status.phase === 'Failed',
        show: ended,
      });
      await until('its lines', get(`${core('pods')}/good/log`), {
        holds: (body) => String(body).includes('two'),
        show: (body) => String(body).split('\n').sort(),
      });
      await ask('the last line', get(`${core('pods')}/bad/log?tailLines=1`));
      await ask('of another container', get(`${core('pods')}/bad/log?container=none`));
      await ask('before the last start', get(`${core('pods')}/bad/log?previous=true`));
      await ask(
        'with times',
        get(`${core('pods')}/bad/log?timestamps=true`),
        (body) => /^\S+Z no\n$/.test(String(body)) || body,
      );
    },
  },
  {
    name: 'a container that fails is started again, later each time',
    async run({ send, until, namespace }) {
      const { core } = pathsIn(namespace);
      await send(post(core('pods'), pod('p', podSpec('exit 1'))));
      const waiting = ({ status }: Body) => container({ status })?.state.waiting;
      await until('waits', get(`${core('pods')}/p`), {
        holds: (body) => waiting(body)?.reason === 'CrashLoopBackOff',
        show: (body) => ({
          phase: body.status.phase,
          reason: waiting(body).reason,
          last: container(body).lastState.terminated.exitCode,
        }),
      });
      await until('an event', get(`${core('events')}?fieldSelector=reason%3DBackOff`), {
        holds: ({ items }) => items.length > 0,
        show: ({ items }) => ({ type: items[0].type, source: items[0].source.component }),
      });
    },
  },
  {
    name: 'an image that nobody has',
    async run({ send, until, namespace }) {
      const { core } = pathsIn(namespace);
      await send(post(core('pods'), pod('p', podSpec(undefined, { image: 'nowhere.example.dev/none:1' }))));
      const reasons = ['ErrImagePull', 'ImagePullBackOff'];
      await until('waits', get(`${core('pods')}/p`), {
        holds: ({ status }) => reasons.includes(container({ status })?.state.waiting?.reason),
        show: ({ status }) => status.phase,
      });
    },
  },
  {
    name: 'what it is given: environment, files, identity',
    async run({ send, until, namespace }) {
      const { core } = pathsIn(namespace);
      await send(
        post(core('secrets'), {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 's' },
          stringData: { word: '$(A) $$ é' },
        }),
      );
      await send(
        post(core('configmaps'), {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'c' },
          data: { 'a.txt': 'file\n' },
        }),
      );
      const script =
        'echo "$A|$B|$C|$D"; cat "${CLUSTER_ROOT:-}/etc/app/a.txt"; id -u | grep -qv "^0$" && echo "not root"';
      const spec = {
        ...podSpec(script, {
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '$(A)-$$(A)-$(NONE)' },
            { name: 'C', valueFrom: { secretKeyRef: { name: 's', key: 'word' } } },
            { name: 'D', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          ],
          volumeMounts: [{ name: 'files', mountPath: '/etc/app' }],
        }),
        restartPolicy: 'Never',
        volumes: [{ name: 'files', configMap: { name: 'c' } }],
      };
      await send(post(core('pods'), pod('p', spec)));
      await until('ends', get(`${core('pods')}/p`), {
        holds: ({ status }) => status.phase === 'Succeeded',
        show: ({ status }) => status.phase,
      });
      await until('says', get(`${core('pods')}/p/log`), { holds: (body) => String(body).includes('not root') });
    },
  },
  {
    name: 'a command is run inside',
    async run(scene) {
      await running(scene);
      scene.note('output', await inside(scene, ['/bin/sh', '-c', 'echo out; echo err >&2']));
      scene.note('a failure', await inside(scene, ['/bin/sh', '-c', 'exit 7']));
      scene.note('no such program', ((await inside(scene, ['/none'])).outcome as Body)?.exitCode !== 0);
      await scene.ask(
        'without a socket',
        get(`${pathsIn(scene.namespace).core('pods')}/p/exec?command=true&stdout=true`),
      );
      await scene.ask(
        'of a pod that is not there',
        get(`${pathsIn(scene.namespace).core('pods')}/none/exec?command=true&stdout=true`),
      );
    },
  },
  {
    name: 'a port is forwarded',
    async run(scene) {
      const { send, until, note, client, namespace } = scene;
      const { core } = pathsIn(namespace);
      await send(post(core('pods'), pod('p', serving('1'))));
      await until('is ready', get(`${core('pods')}/p`), {
        holds: ({ status }) => container({ status })?.ready,
        show: ({ status }) => status.phase,
      });
      const connection = await portForward(client, { namespace, pod: 'p', port: 8080 });
      connection.write('GET / HTTP/1.1\r\nHost: p\r\nConnection: close\r\n\r\n');
      let answer = '';
      for await (const chunk of connection) answer += String(chunk);
      note('answers', answer.split('\r\n')[0]);
    },
  },
  {
    name: 'a rollout replaces pods one after the other',
    async run({ send, until, ask, namespace }) {
      const { apps, core, discovery } = pathsIn(namespace);
      const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
      await send(post(apps('deployments'), deployment('web', { replicas: 2, strategy }, serving('1'))));
      await send(post(core('services'), service('web')));
      const done = ({ metadata, status }: Body) =>
        status.observedGeneration === metadata.generation &&
        status.updatedReplicas === 2 &&
        status.availableReplicas === 2 &&
        status.replicas === 2;
      const shown = ({ status }: Body) => ({
        ...status,
        conditions: status.conditions
          .map(({ type, status: is, reason, message }: Body) => ({ type, is, reason, message }))
          .sort((a: Body, b: Body) => (a.type < b.type ? -1 : 1)),
      });
      await until('is there', get(`${apps('deployments')}/web`), { holds: done, show: shown });
      await until('endpoints', get(`${discovery('endpointslices')}?labelSelector=kubernetes.io/service-name%3Dweb`), {
        holds: ({ items }) =>
          items[0].endpoints?.length === 2 && items[0].endpoints.every(({ conditions }: Body) => conditions.ready),
        show: ({ items }) => ({
          ports: items[0].ports.map(({ name, protocol }: Body) => ({ name, protocol })),
          endpoints: items[0].endpoints.map(({ conditions, targetRef }: Body) => ({
            conditions,
            kind: targetRef.kind,
          })),
        }),
      });
      await send(
        merge(`${apps('deployments')}/web`, { spec: { template: { metadata: { annotations: { version: '2' } } } } }),
      );
      await until('is replaced', get(`${apps('deployments')}/web`), { holds: done, show: shown });
      await until('only new pods', get(core('pods')), {
        holds: ({ items }) => items.length === 2,
        show: ({ items }) => items.map(({ metadata }: Body) => metadata.annotations.version),
      });
      await ask('events', get(`${core('events')}?fieldSelector=involvedObject.kind%3DDeployment`), ({ items }) =>
        [...new Set(items.map(({ type, reason }: Body) => `${type} ${reason}`))].sort(),
      );
      await send(merge(`${apps('deployments')}/web/scale`, { spec: { replicas: 0 } }));
      await until('nothing runs', get(core('pods')), {
        holds: ({ items }) => items.length === 0,
        show: ({ items }) => items.length,
      });
    },
  },
  {
    name: 'a probe that fails keeps a pod from service',
    async run({ send, until, namespace }) {
      const { core } = pathsIn(namespace);
      const spec = podSpec('while true; do sleep 1; done', {
        readinessProbe: { exec: { command: ['/bin/sh', '-c', 'exit 1'] }, periodSeconds: 1, failureThreshold: 1 },
      });
      await send(post(core('pods'), pod('p', spec)));
      await until('runs and is not ready', get(`${core('pods')}/p`), {
        holds: runs,
        show: ({ status }) =>
          status.conditions
            .map(({ type, status: is, reason }: Body) => ({ type, is, reason }))
            .sort((a: Body, b: Body) => (a.type < b.type ? -1 : 1)),
      });
      await until('an event', get(`${core('events')}?fieldSelector=reason%3DUnhealthy`), {
        holds: ({ items }) => items.length > 0,
        show: ({ items }) => ({ type: items[0].type, message: items[0].message.trim() }),
      });
    },
  },
  {
    name: 'a probe of life restarts a container',
    async run({ send, until, namespace }) {
      const { core } = pathsIn(namespace);
      const spec = podSpec('while true; do sleep 1; done', {
        livenessProbe: { exec: { command: ['/bin/sh', '-c', 'exit 1'] }, periodSeconds: 1, failureThreshold: 1 },
      });
      await send(post(core('pods'), pod('p', spec)));
      await until('started again', get(`${core('pods')}/p`), {
        holds: (body) => container(body).restartCount > 0,
        show: ({ status }) => status.phase,
      });
      await until('events', get(`${core('events')}?fieldSelector=reason%3DKilling`), {
        holds: ({ items }) => items.length > 0,
        show: ({ items }) => ({ type: items[0].type, message: items[0].message }),
      });
    },
  },
  {
    name: 'a job runs, fails and is cleaned up',
    async run({ send, until, namespace }) {
      const { batch, core } = pathsIn(namespace);
      const ended = ({ status }: Body) =>
        status.conditions?.some(({ type, status: is }: Body) => ['Complete', 'Failed'].includes(type) && is === 'True');
      const shown = ({ status }: Body) => ({
        succeeded: status.succeeded,
        failed: status.failed,
        ready: status.ready,
        conditions: status.conditions.map(({ type, status: is, reason, message }: Body) => ({
          type,
          is,
          reason,
          message,
        })),
      });
      await send(post(batch('jobs'), job('good', 'exit 0')));
      await send(post(batch('jobs'), job('bad', 'exit 1')));
      await until('complete', get(`${batch('jobs')}/good`), { holds: ended, show: shown });
      await until('failed', get(`${batch('jobs')}/bad`), { holds: ended, show: shown });
      await until('its pod', get(`${core('pods')}?labelSelector=job-name%3Dgood`), {
        holds: ({ items }) => items.length === 1,
        show: ({ items }) =>
          items.map(({ metadata, status }: Body) => ({
            labels: Object.keys(metadata.labels).sort(),
            phase: status.phase,
            finalizers: metadata.finalizers,
          })),
      });
      await send(post(batch('jobs'), job('brief', 'exit 0', { ttlSecondsAfterFinished: 1 })));
      await until('goes by itself', get(`${batch('jobs')}/brief`), {
        holds: ({ code }) => code === 404,
        show: ({ reason }) => reason,
      });
    },
  },
  {
    name: 'a claim is bound when a pod wants it and keeps what was written',
    async run({ send, until, namespace }) {
      const { core } = pathsIn(namespace);
      await send(
        post(core('persistentvolumeclaims'), {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } } },
        }),
      );
      const writes = (name: string, script: string) =>
        pod(name, {
          ...podSpec(script, { volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' }, fsGroup: 10001 },
          restartPolicy: 'Never',
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        });
      const ended = {
        holds: ({ status }: Body) => status.phase === 'Succeeded',
        show: ({ status }: Body) => status.phase,
      };
      await send(post(core('pods'), writes('one', 'echo kept > "${CLUSTER_ROOT:-}/data/a"')));
      await until('written', get(`${core('pods')}/one`), ended);
      await until('bound', get(`${core('persistentvolumeclaims')}/data`), {
        holds: ({ status }) => status.phase === 'Bound',
        show: ({ status, metadata }) => ({
          phase: status.phase,
          modes: status.accessModes,
          finalizers: metadata.finalizers,
        }),
      });
      await send(remove(`${core('pods')}/one`));
      await send(post(core('pods'), writes('two', 'cat "${CLUSTER_ROOT:-}/data/a"')));
      await until('read', get(`${core('pods')}/two`), ended);
      await until('as written', get(`${core('pods')}/two/log`), { holds: (body) => String(body) === 'kept\n' });
      await send(remove(`${core('persistentvolumeclaims')}/data`));
      await until('used, so it stays', get(`${core('persistentvolumeclaims')}/data`), {
        holds: ({ metadata, code }) => code === 404 || metadata.deletionTimestamp,
        show: ({ status, code }) => code ?? status.phase,
      });
    },
  },
  {
    name: 'a pod gets its time to end',
    async run(scene) {
      const { ask, until, namespace } = scene;
      const script = 'trap "echo ending; sleep 1; exit 0" TERM; echo began; while true; do sleep 0.2; done';
      const path = `${pathsIn(namespace).core('pods')}/p`;
      await scene.send(
        post(pathsIn(namespace).core('pods'), pod('p', { ...podSpec(script), terminationGracePeriodSeconds: 20 })),
      );
      await until('began', get(`${path}/log`), { holds: (body) => String(body).includes('began') });
      await ask('deleted', remove(path), ({ metadata }) => ({
        grace: metadata.deletionGracePeriodSeconds,
        isGoing: metadata.deletionTimestamp !== undefined,
      }));
      await until('says so', get(`${path}/log`), {
        holds: (body) => String(body).includes('ending') || body.code === 404,
        show: () => 'ending',
      });
      await until('is gone', get(path), { holds: ({ code }) => code === 404, show: ({ reason }) => reason });
    },
  },
];

export const runningPods: ConformanceCase[] = cases.map((each) => ({ ...each, needs: 'node' as const }));
