import { describe, expect, it } from 'vitest';
import { covers } from './covers.ts';

describe('an object covers what is wanted', () => {
  const cases: [string, unknown, unknown][] = [
    ['when the server has added defaults', { spec: { a: 1, protocol: 'TCP' } }, { spec: { a: 1 } }],
    [
      'when a sidecar was injected before ours',
      [{ name: 'mesh' }, { name: 'web', image: 'a' }],
      [{ name: 'web', image: 'a' }],
    ],
    ['when the server left an empty value out', { env: [{ name: 'A' }] }, { env: [{ name: 'A', value: '' }] }],
    ['when the server left an empty object out', {}, { annotations: {} }],
    ['when the server left an empty list out', {}, { volumes: [] }],
    ['when an amount is written another way', { limits: { cpu: '500m' } }, { limits: { cpu: '0.5' } }],
    ['when memory is written another way', { requests: { memory: '1Gi' } }, { requests: { memory: '1024Mi' } }],
    ['when nothing in particular is wanted', { a: 1 }, { a: undefined }],
  ];
  it.each(cases)('%s', (_name, actual, wanted) => expect(covers(actual, wanted)).toBe(true));
});

describe('an object does not cover what is wanted', () => {
  const cases: [string, unknown, unknown][] = [
    ['when a value was changed', { spec: { replicas: 3 } }, { spec: { replicas: 1 } }],
    ['when a zero was changed', { spec: { replicas: 1 } }, { spec: { replicas: 0 } }],
    ['when a container is missing', [{ name: 'other' }], [{ name: 'web' }]],
    ['when a port got another number', [{ name: 'http', port: 81 }], [{ name: 'http', port: 80 }]],
    ['when a plain list has one more', { command: ['a', 'b'] }, { command: ['a'] }],
    ['when a rule was added to a list without names', [{ to: [] }, { to: [] }], [{ to: [{ a: 1 }] }]],
    ['when a label is gone', { labels: {} }, { labels: { a: 'b' } }],
    ['when a variable only looks like an amount', { value: '500m' }, { value: '0.5' }],
    ['when a limit is lower', { limits: { cpu: '250m' } }, { limits: { cpu: '0.5' } }],
    ['when a flag is gone', {}, { readOnly: false }],
  ];
  it.each(cases)('%s', (_name, actual, wanted) => expect(covers(actual, wanted)).toBe(false));
});
