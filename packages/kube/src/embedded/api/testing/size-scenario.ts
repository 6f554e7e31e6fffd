import type { ScenarioStep } from './scenario.ts';

const KIB = 1024;
const ns = '/api/v1/namespaces/answers';
const custom = '/apis/example.dev/v1/namespaces/answers';
const configMap = (bytes: number, metadata = {}) => ({
  metadata: { name: 'large', ...metadata },
  data: { a: 'x'.repeat(bytes) },
});
const widget = (bytes: number) => ({
  apiVersion: 'example.dev/v1',
  kind: 'Widget',
  metadata: { name: 'large' },
  spec: { image: 'large', free: { text: 'x'.repeat(bytes) } },
});
const post = (name: string, path: string, body: unknown): ScenarioStep => ({ name, method: 'POST', path, body });

/** What is too large, in the words of whoever refuses it: the server for the request, the kind, the store. */
export const sizeScenario: ScenarioStep[] = [
  post('too large: a config map of 1.1 MiB', `${ns}/configmaps`, configMap(1100 * KIB)),
  post(
    'too large: annotations of 257 KiB',
    `${ns}/configmaps`,
    configMap(1, { annotations: { a: 'x'.repeat(257 * KIB) } }),
  ),
  post('too large: a widget of 1.6 MiB', `${custom}/widgets`, widget(1600 * KIB)),
  {
    name: 'too large: a widget of 1.6 MiB, applied',
    method: 'PATCH',
    path: `${custom}/widgets/large?fieldManager=me`,
    type: 'application/apply-patch+yaml',
    body: widget(1600 * KIB),
  },
  post('too large: a request of 3.1 MiB', `${ns}/configmaps`, configMap(3200 * KIB)),
  { name: 'too large: none of it is there', method: 'GET', path: `${ns}/configmaps/large` },
];
