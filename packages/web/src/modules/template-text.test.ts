import { checkTemplate } from '@berth/core/check-template';
import { describe, expect, it } from 'vitest';
import { BLANK_TEMPLATE, nextVersion, withName, withVersion } from './template-text.ts';

describe('the text of a template', () => {
  it('begins as one that is right', () => expect(checkTemplate(BLANK_TEMPLATE).problems).toEqual([]));

  it('takes another name and version, and keeps everything else', () => {
    const text = withVersion(withName(BLANK_TEMPLATE, 'shop'), '2.0.0');
    expect(checkTemplate(text).template).toMatchObject({ metadata: { name: 'shop' }, spec: { version: '2.0.0' } });
    expect(withVersion(withName(text, 'my-app'), '1.0.0')).toBe(BLANK_TEMPLATE);
  });

  it('takes them where other fields and comments stand before', () => {
    const text = 'metadata:\n  # a comment\n  name: a # b\nspec:\n  services:\n    - name: version\n  version: 1.2.3\n';
    expect(withVersion(withName(text, 'z'), '9.9.9')).toBe(
      'metadata:\n  # a comment\n  name: z # b\nspec:\n  services:\n    - name: version\n  version: 9.9.9\n',
    );
  });

  it.each([
    [[], '1.0.0'],
    [['1.0.0'], '1.0.1'],
    [['1.9.0', '1.10.2', '1.2.9'], '1.10.3'],
  ])('after %j comes %s', (versions, next) => expect(nextVersion(versions)).toBe(next));
});
