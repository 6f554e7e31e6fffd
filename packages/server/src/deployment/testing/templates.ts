import { type Template, type TemplateSpec, templateSchema } from '@berth/core/template';
import { API_VERSION } from '@berth/core/user-deployment';
import type { Database } from '../../db/database.ts';

/** A template for tests: one web service with a public port, whatever else is asked for. */
export function testTemplate(name: string, spec: Partial<TemplateSpec> = {}): Template {
  return templateSchema.parse({
    apiVersion: API_VERSION,
    kind: 'Template',
    metadata: { name },
    spec: {
      kind: 'deployment',
      version: '1.0.0',
      displayName: name,
      description: 'For tests.',
      category: 'app',
      parameters: [{ name: 'title', label: 'Title', type: 'text', default: 'Hello' }],
      services: [
        {
          name: 'web',
          image: 'berth.dev/whoami:1',
          env: [{ name: 'TITLE', value: `\${{ parameters.title }}` }],
          ports: [{ name: 'http', port: 8080 }],
        },
      ],
      exposure: { service: 'web', port: 'http' },
      ...spec,
    },
  });
}

/** Secrets of every kind: typed, generated and left out; in variables and in a file; beside a volume. */
export function vaultTemplate(version = '1.0.0'): Template {
  return testTemplate('vault', {
    version,
    parameters: [
      { name: 'title', label: 'Title', type: 'text', default: 'Hello' },
      { name: 'password', label: 'Password', type: 'secret', required: true },
      { name: 'generated', label: 'Generated', type: 'secret', generate: { length: 32 } },
      { name: 'optional', label: 'Optional', type: 'secret' },
      { name: 'key', label: 'Key', type: 'secret', multiline: true },
    ],
    services: [
      {
        name: 'web',
        image: 'berth.dev/whoami:1',
        env: [
          { name: 'TITLE', value: `\${{ parameters.title }}` },
          { name: 'PASSWORD', secretKey: 'password' },
          { name: 'GENERATED', secretKey: 'generated' },
          { name: 'OPTIONAL', secretKey: 'optional' },
        ],
        files: [{ path: '/etc/key.pem', secretKey: 'key' }],
        ports: [{ name: 'http', port: 8080 }],
        volumes: [{ name: 'data', mountPath: '/data', size: '1Gi' }],
        resources: { requests: { cpu: '100m', memory: '64Mi' } },
      },
    ],
  });
}

/** Puts a version into the catalogue and makes it the current one. */
export async function publish(database: Database, { metadata, spec }: Template): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.execute('update templates set current = false where name = $1', [metadata.name]);
    await transaction.execute(
      `insert into templates (name, version, spec, current, loaded_at) values ($1, $2, $3, true, now())
       on conflict (coalesce(team_id, ''), name, version) do update set spec = excluded.spec, current = true`,
      [metadata.name, spec.version, JSON.stringify(spec)],
    );
  });
}
