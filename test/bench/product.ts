import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { berthAt, testFolder } from '../support/berth.ts';
import { freePort } from './bench-server.ts';
import { measureFirstByte } from './product/first-byte.ts';
import { measureFirstLoad } from './product/first-load.ts';
import { measureList } from './product/list.ts';
import { printRows } from './product/row.ts';
import { measureScaleToZero } from './product/scale-to-zero.ts';
import { inParallel, signIn } from './product/session.ts';
import { measureStart } from './product/start.ts';

/**
 * What people wait for, beside a bare baseline in the same run. Prints, asserts nothing.
 *
 *   node scripts/build.mjs && npx tsx test/bench/product.ts [--main dist/main.js] [--count 200]
 */
const { values: flags } = parseArgs({
  options: { main: { type: 'string', default: 'dist/main.js' }, count: { type: 'string', default: '200' } },
});
const main = resolve(flags.main);
const port = await freePort();
const rows = await measureStart({ main, port });
const folder = testFolder('berth-bench-');
const berth = berthAt({ main, data: join(folder, 'data'), port });
try {
  await berth.start();
  const session = await signIn(berth.url);
  rows.push(await measureFirstLoad(berth.url));
  rows.push(await measureFirstByte(session, { main, port }));
  rows.push(await measureScaleToZero(session, Number(flags.count)));
  await keepOnly(100);
  rows.push(await measureList(session, berth.data));

  /** Removes all but so many deployments. */
  async function keepOnly(count: number): Promise<void> {
    const { items } = await session.call<{ items: { id: string }[] }>(
      'GET',
      `/api/deployments?team=${session.team}&limit=500`,
    );
    await inParallel(items.slice(count), 8, ({ id }) => session.call('DELETE', `/api/deployments/${id}`));
    const left = async () =>
      (await session.call<{ items: unknown[] }>('GET', `/api/deployments?team=${session.team}&limit=500`)).items.length;
    while ((await left()) > count) await new Promise((done) => setTimeout(done, 200));
  }
} finally {
  await berth.stop();
  rmSync(folder, { recursive: true, force: true });
}
printRows(rows);
