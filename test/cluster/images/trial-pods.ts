/** One image as it is tried: what it is told, where it writes, how one sees that it works. */
export interface Trial {
  image: string;
  /** Several of one image are told apart by it. */
  name?: string;
  args?: string[];
  env?: Record<string, string>;
  /** A volume of the cluster for `claim`, else a folder that goes with the pod. */
  data?: { path: string; claim?: boolean };
  files?: { path: string; content: string };
  /** Ready when it answers on this port; without one it is a program that ends. */
  port?: number;
}

export const PASSWORD = 'a "good" pass:$word';

const DATABASE = {
  DATABASE_HOST: 'database',
  DATABASE_NAME: 'guestbook',
  DATABASE_USER: 'guestbook',
  DATABASE_PASSWORD: PASSWORD,
};
const databaseUrl = `postgres://guestbook:${encodeURIComponent(PASSWORD)}@database:5432/guestbook`;

/** Started before the others, which ask for it by name. */
export const DATABASE_TRIAL: Trial = {
  image: 'postgres',
  name: 'database',
  env: { POSTGRES_USER: 'guestbook', POSTGRES_DB: 'guestbook', POSTGRES_PASSWORD: PASSWORD },
  data: { path: '/var/lib/postgresql/data', claim: true },
  port: 5432,
};

export function trials(repository: string): Trial[] {
  return [
    { image: 'berth', name: 'berth-migrate', args: ['migrate'], env: { DATABASE_URL: databaseUrl } },
    { image: 'guestbook', env: DATABASE, port: 8080 },
    { image: 'kv', env: { KV_PASSWORD: PASSWORD }, data: { path: '/data', claim: true }, port: 6379 },
    {
      image: 'node-app',
      env: { REPOSITORY: repository, BUILD_COMMAND: 'npm run build', PORT: '8080' },
      data: { path: '/work' },
      port: 8080,
    },
    { image: 'postgres-console', env: DATABASE, port: 8080 },
    { image: 'shop', name: 'shop-migrate', args: ['migrate'], env: DATABASE },
    { image: 'shop', name: 'shop-api', args: ['api'], env: DATABASE, port: 8080 },
    { image: 'shop', name: 'shop-web', args: ['web'], port: 8080 },
    { image: 'static', files: { path: '/srv/site/index.html', content: '<h1>A page</h1>' }, port: 8080 },
    { image: 'terminal', env: { TERMINAL_PASSWORD: PASSWORD }, data: { path: '/home/me' }, port: 8080 },
    {
      image: 'uptime',
      name: 'uptime-web',
      args: ['web'],
      env: { ADDRESS: 'http://whoami:8080', TOKEN: 'token' },
      data: { path: '/data' },
      port: 8080,
    },
    { image: 'whoami', port: 8080 },
  ];
}

/** The pod and what it asks for: restricted, its root read-only, as little as the image can do with. */
export function objectsOf(trial: Trial, reference: string): object[] {
  const { image, name = image, args, env = {}, data, files, port } = trial;
  const metadata = { name, labels: { app: name } };
  const claim = { metadata, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
  const volumes = [
    { name: 'tmp', mountPath: '/tmp', emptyDir: {} },
    ...(data
      ? [
          {
            name: 'data',
            mountPath: data.path,
            ...(data.claim ? { persistentVolumeClaim: { claimName: name } } : { emptyDir: {} }),
          },
        ]
      : []),
    ...(files ? [{ name: 'files', mountPath: files.path, subPath: 'file', configMap: { name } }] : []),
  ];
  const probe = port === undefined ? {} : { readinessProbe: { tcpSocket: { port }, periodSeconds: 1 } };
  const container = {
    name: 'main',
    image: reference,
    ...(args && { args }),
    env: Object.entries(env).map(([key, value]) => ({ name: key, value: value.replaceAll('$', '$$$$') })),
    ...probe,
    volumeMounts: volumes.map(({ name: volume, mountPath, ...rest }) => ({
      name: volume,
      mountPath,
      ...('subPath' in rest && { subPath: rest.subPath }),
    })),
    securityContext: {
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    },
  };
  const spec = {
    restartPolicy: port === undefined ? 'OnFailure' : 'Always',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 120,
    securityContext: { runAsNonRoot: true, fsGroup: 10001, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [container],
    volumes: volumes.map(({ mountPath: _path, ...rest }) => {
      const { subPath: _subPath, ...volume } = rest as { subPath?: string };
      return volume;
    }),
  };
  return [
    ...(data?.claim ? [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...claim }] : []),
    ...(files ? [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { file: files.content } }] : []),
    ...(port === undefined
      ? []
      : [{ apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: { app: name }, ports: [{ port }] } }]),
    { apiVersion: 'v1', kind: 'Pod', metadata, spec },
  ];
}
