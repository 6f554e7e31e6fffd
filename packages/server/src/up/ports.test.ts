import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { choosePorts } from './ports.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

function occupy(port: number): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    onTestFinished(() => void server.close());
    server.listen(port, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
}

describe('the ports of a Berth', () => {
  it('stay the same from start to start', async () => {
    const file = join(temporaryFolder(), 'ports.json');
    const first = await choosePorts(file, { bind: '127.0.0.1', port: 0 });
    expect(new Set(Object.values(first)).size).toBe(6);
    expect(await choosePorts(file, { bind: '127.0.0.1', port: 0 })).toEqual(first);
  });

  it('are chosen anew where another program took one', async () => {
    const file = join(temporaryFolder(), 'ports.json');
    const first = await choosePorts(file, { bind: '127.0.0.1', port: 0 });
    await occupy(first.cluster);
    const second = await choosePorts(file, { bind: '127.0.0.1', port: 0 });
    expect(second.cluster).not.toBe(first.cluster);
    expect(second.server).toBe(first.server);
  });

  it('are refused in words when the public one is in use', async () => {
    const port = await occupy(0);
    const attempt = choosePorts(join(temporaryFolder(), 'ports.json'), { bind: '127.0.0.1', port });
    await expect(attempt).rejects.toThrow(`port ${port} on 127.0.0.1 is in use by another program`);
  });

  it('are refused in words on an address that is not ours', async () => {
    const attempt = choosePorts(join(temporaryFolder(), 'ports.json'), { bind: '192.0.2.1', port: 7400 });
    await expect(attempt).rejects.toThrow('192.0.2.1 is not an address of this machine');
  });
});
