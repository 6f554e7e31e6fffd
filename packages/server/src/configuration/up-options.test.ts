import { describe, expect, it } from 'vitest';
import { isLoopback, readUpOptions } from './up-options.ts';

function read(parameters: string[], environment: Record<string, string> = {}) {
  return readUpOptions({ parameters, environment, currentDirectory: '/home/you' });
}

describe('the options of berth up', () => {
  it('need none', () => {
    expect(read([])).toMatchObject({
      dataDirectory: '/home/you/.berth',
      port: 7400,
      domain: 'localhost',
      bind: '127.0.0.1',
      kubeconfigFile: undefined,
      plan: 'business',
    });
  });

  it('take a value after a space or an equals sign', () => {
    expect(read(['--data', 'a b', '--port=8000', '--kubeconfig', 'k.yaml'])).toMatchObject({
      dataDirectory: '/home/you/a b',
      port: 8000,
      kubeconfigFile: '/home/you/k.yaml',
    });
  });

  it('list everything that is wrong at once', () => {
    let text = '';
    try {
      read(
        ['--port', 'http', '--domain', '10.0.0.1', '--bind', 'here', '--plan', 'gold', '--colour', 'extra', '--data'],
        {
          DATABASE_URL: 'mysql://root:hunter2@db',
        },
      );
    } catch (error) {
      text = String(error);
    }
    for (const part of [
      '--port',
      '--domain',
      '--bind',
      '--plan',
      '--colour',
      '"extra"',
      '--data needs a value',
      'DATABASE_URL',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('hunter2');
  });

  it('refuse to open the built-in cluster to others', () => {
    expect(() => read(['--bind', '0.0.0.0'])).toThrow('one trusting person');
    expect(read(['--bind', '0.0.0.0', '--kubeconfig', 'k']).bind).toBe('0.0.0.0');
    expect(read(['--bind', '::1']).bind).toBe('::1');
  });

  it.each([
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['0.0.0.0', false],
    ['::', false],
    ['192.168.1.2', false],
  ])('know whether %s is loopback', (address, loopback) => {
    expect(isLoopback(address)).toBe(loopback);
  });
});
