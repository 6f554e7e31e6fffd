import { gzipSync } from 'node:zlib';
import { openBrowser } from '../../support/browser.ts';
import type { Row } from './row.ts';

const AIM_KIB = 250;

/** The JavaScript that a browser fetches until the dashboard stands, as it would be with gzip in front. */
export async function measureFirstLoad(url: string): Promise<Row> {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const scripts: Promise<number>[] = [];
    page.on('response', (response) => {
      if (response.request().resourceType() !== 'script') return;
      scripts.push(response.body().then((body) => gzipSync(body).length));
    });
    await page.goto(url, { waitUntil: 'networkidle' }).catch(() => page.waitForTimeout(3_000));
    const bytes = (await Promise.all(scripts)).reduce((sum, each) => sum + each, 0);
    return {
      what: `JavaScript of the first load, gzipped, ${scripts.length} files`,
      ours: `${Math.round(bytes / 1024)} KiB`,
      baseline: `aim ${AIM_KIB} KiB`,
      ratio: (bytes / 1024 / AIM_KIB).toFixed(2),
    };
  } finally {
    await browser.close();
  }
}
