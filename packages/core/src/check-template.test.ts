import { describe, expect, it } from 'vitest';
import { checkTemplate } from './check-template.ts';

const GOOD = `apiVersion: berth.dev/v1alpha1
kind: Template
metadata:
  name: shop
spec:
  kind: deployment
  version: 1.0.0
  displayName: Shop
  description: Sells things.
  category: app
  parameters:
    - name: title
      label: Title
      type: text
      required: true
      minLength: 3
  services:
    - name: web
      image: example/shop:1
      env:
        - name: TITLE
          value: \${{ parameters.title }}
`;

describe('checkTemplate', () => {
  it('finds nothing wrong with what is right, though required values are missing', () => {
    expect(checkTemplate(GOOD)).toMatchObject({ template: { metadata: { name: 'shop' } }, problems: [] });
  });

  it.each([
    ['a field that is not known', GOOD.replace('image:', 'imige:'), { line: 19, path: 'spec.services[0].imige' }],
    ['a version that is none', GOOD.replace('1.0.0', 'one'), { line: 7, path: 'spec.version' }],
    ['YAML that is none', `${GOOD}  exposure: {`, { path: '' }],
    ['nothing', '', { line: 1, message: 'is empty' }],
    ['an expression that leads nowhere', GOOD.replace('parameters.title', 'parameters.titel'), { line: 22 }],
    ['a pattern that is none', GOOD.replace('minLength: 3', 'pattern: "("'), { path: 'spec.parameters[0].pattern' }],
    [
      'an address that is there twice',
      `${GOOD}      ports: [{ name: http, port: 80 }]
  exposure: { service: web, port: http }
  extraExposures: [{ suffix: a, service: web, port: http }, { suffix: a, service: web, port: http }]`,
      { path: 'spec.extraExposures[1].suffix' },
    ],
    ['a secret that is written out', `${GOOD.replace('type: text', 'type: secret')}`, { line: 22 }],
  ])('says where %s is', (_what, text, problem) => {
    const { problems } = checkTemplate(text);
    expect(problems).toContainEqual(expect.objectContaining(problem));
    for (const { message } of problems) expect(message).not.toMatch(/line \d/);
  });

  it('names some of what is wrong where all would keep everybody waiting', () => {
    const unknown = Array.from({ length: 20_000 }, (_, index) => `key${index}: 1`).join('\n');
    expect(checkTemplate(unknown).problems).toHaveLength(20);
  });
});
