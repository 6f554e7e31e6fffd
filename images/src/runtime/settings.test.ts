import { describe, expect, it } from 'vitest';
import { listenTarget, parsePort, rootedPath, runtimeSettings } from './settings.ts';

describe('settings of the runtime', () => {
  it('are those of a container when the node sets nothing', () => {
    const settings = runtimeSettings({});
    expect(listenTarget(settings, 8080)).toEqual({ host: '0.0.0.0', port: 8080 });
    expect(rootedPath(settings, '/data')).toBe('/data');
    expect(settings.hostsFile).toBeUndefined();
  });

  it('move addresses, ports and paths where the node says so', () => {
    const settings = runtimeSettings({
      LISTEN_ADDRESS: '127.64.0.9',
      LISTEN_PORTS: '{"8080":4000}',
      CLUSTER_ROOT: '/pod',
    });
    expect(listenTarget(settings, 8080)).toEqual({ host: '127.64.0.9', port: 4000 });
    expect(listenTarget(settings, 9090)).toEqual({ host: '127.64.0.9', port: 9090 });
    expect(rootedPath(settings, '/data')).toBe('/pod/data');
  });

  it.each([
    [undefined, 8080],
    ['', 8080],
    ['81', 81],
    ['tcp://127.32.0.1:5432', 8080],
  ])('a port of %j is %d', (text, port) => expect(parsePort('PORT', text, 8080)).toBe(port));

  it.each(['0', '65536', '1.5', 'http'])('the port %s is refused by name', (text) => {
    expect(() => parsePort('PORT', text, 8080)).toThrow(/PORT must be a port/);
  });
});
