import { describe, expect, it } from 'vitest';
import { readSamples } from './prometheus-text.ts';

describe('the Prometheus text format', () => {
  it.each([
    ['requests{host="a.test",class="2xx"} 12', [{ labels: { host: 'a.test', class: '2xx' }, value: 12 }]],
    ['requests 3', [{ labels: {}, value: 3 }]],
    ['requests{host="a\\"}\\\\b\\nc"} 1.5e3 1700000000000', [{ labels: { host: 'a"}\\b\nc' }, value: 1500 }]],
    ['requests{} 1', [{ labels: {}, value: 1 }]],
    ['requests{host="a", } 1', [{ labels: { host: 'a' }, value: 1 }]],
    ['# TYPE requests counter\nrequests_created{host="a"} 1\nother 2', []],
    ['requests{host="a"', []],
    ['requests{host="a"} NaN\nrequests{host="b"}', []],
  ])('is read: %s', (text, samples) => expect(readSamples(text, 'requests')).toEqual(samples));
});
