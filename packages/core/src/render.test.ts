import { describe, expect, it } from 'vitest';
import { BerthError } from './errors.ts';
import { renderTemplate } from './render.ts';
import { readTemplate } from './template.ts';

const FILE = `
apiVersion: berth.dev/v1alpha1
kind: Template
metadata:
  name: shop
spec:
  kind: deployment
  version: 1.0.0
  displayName: Shop
  description: A shop
  category: app
  parameters:
    - {name: title, label: Title, type: text, default: NO, maxLength: 30}
    - {name: pages, label: Pages, type: number, default: 3, min: 1, max: 10, integer: true}
    - {name: password, label: Password, type: secret, generate: {length: 20}}
  services:
    - name: web
      image: berth.dev/whoami:1
      dependsOn: [db]
      ports: [{name: http, port: 8080}]
      env:
        - {name: TITLE, value: "\${{ parameters.title }}"}
        - {name: PAGES, value: "\${{ parameters.pages }}"}
        - {name: DB, value: "\${{ services.db.host }}:5432"}
        - {name: LITERAL, value: "$\${{ parameters.title }}"}
        - {name: PASSWORD, secretKey: password}
    - name: db
      image: berth.dev/postgres:1
  exposure: {service: web, port: http}
`;
const template = readTemplate(FILE, 'shop.yaml');
const render = (values: Record<string, string | number>) =>
  renderTemplate({ template, name: 'my-shop', values, host: 'my-shop.localhost', url: 'http://my-shop.localhost' });
const message = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof BerthError) return JSON.stringify(error.details.fields);
    throw error;
  }
  return 'accepted';
};

describe('rendering a template', () => {
  it('fills in values, names of services and leaves secrets as references', () => {
    const spec = render({ title: 'Books' });
    expect(spec.services[0]?.env).toEqual([
      { name: 'TITLE', value: 'Books' },
      { name: 'PAGES', value: '3' },
      { name: 'DB', value: 'my-shop-db:5432' },
      { name: 'LITERAL', value: '${{ parameters.title }}' },
      { name: 'PASSWORD', secretKey: 'password' },
    ]);
    expect(spec.secretKeys).toEqual(['password']);
    expect(spec.exposure).toEqual([{ host: 'my-shop.localhost', service: 'web', port: 'http' }]);
  });

  it('takes a default that YAML would read as something else as text', () => {
    expect(render({}).services[0]?.env?.[0]?.value).toBe('NO');
  });

  it('never scans a value twice', () => {
    expect(render({ title: '${{ deployment.url }}' }).services[0]?.env?.[0]?.value).toBe('${{ deployment.url }}');
  });

  it('refuses wrong and unknown values by name', () => {
    expect(message(() => render({ pages: 11 }))).toContain('values.pages');
    expect(message(() => render({ nope: 1 }))).toContain('values.nope');
    expect(message(() => render({ title: 'x'.repeat(31) }))).toContain('at most 30');
  });

  it('points at the line of what a template has wrong', () => {
    expect(message(() => readTemplate(FILE.replace('port: 8080', 'port: 99999'), 'shop.yaml'))).toMatch(
      /ports\[0\]\.port.*line 20/,
    );
    expect(message(() => readTemplate(FILE.replace('dependsOn: [db]', 'dependsOn: [cache]'), 'shop.yaml'))).toContain(
      'cache',
    );
    expect(message(() => readTemplate(FILE.replace('secretKey: password', 'secretKey: other'), 'shop.yaml'))).toContain(
      'other',
    );
  });

  it('refuses an unknown expression', () => {
    const bad = readTemplate(FILE.replace('parameters.pages', 'parameters.password'), 'shop.yaml');
    expect(message(() => renderTemplate({ template: bad, name: 'x', values: {} }))).toContain('parameters.password');
  });
});
