import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/berth.ts';
import { type Journey, startJourney } from '../support/journey.ts';
import type { LaptopPlatform } from '../support/laptop-platform.ts';
import { readProcess } from '../support/processes.ts';
import { startLaptop } from '../support/target.ts';
import { podProcesses } from '../support/truth.ts';

/** What only a Berth on one machine does: nobody has to sign in, and programs outlive it. */
let platform: LaptopPlatform;
let journey: Journey;

beforeAll(async () => {
  platform = await startLaptop('one-machine');
  journey = await startJourney(platform);
});
afterAll(() => journey?.end());

describe('on one machine', () => {
  it('whoever opens the page is dev@localhost', async () => {
    await journey.page.goto('/');
    await journey.page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor();
    expect(await journey.page.getByText('dev@localhost').count()).toBeGreaterThan(0);
  });

  it('what ran goes on although all of Berth was killed, and the next start finds it', async () => {
    await platform.signInCommand();
    await platform.berthCommand('deploy', 'whoami', 'goes-on', '--wait');
    const before = podProcesses(platform.berth).map(({ process }) => process.pid);
    expect(before).not.toEqual([]);
    for (const { pid } of platform.berth.roles().values()) process.kill(pid, 'SIGKILL');
    await until('berth has ended', 10_000, () => !platform.berth.alive());
    expect(before.filter((pid) => readProcess(pid) === undefined)).toEqual([]);
    await platform.berth.start();
    await until('it answers again', 30_000, async () => (await journey.ask('goes-on')).status === 200);
    expect(podProcesses(platform.berth).map(({ process }) => process.pid)).toEqual(before);
    await platform.berthCommand('delete', 'goes-on', '--yes', '--wait');
  });
});
