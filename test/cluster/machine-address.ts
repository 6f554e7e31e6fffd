import { run } from '../../scripts/steps.mjs';

/**
 * The policies of deployments open the internet to pods and close every private range. What a test serves to pods therefore has an address on
 * this machine that belongs to neither: one of those that are set aside for documentation and are nobody's.
 */
const ADDRESS = '203.0.113.7';

export async function giveMachineAddress(): Promise<string> {
  await run('ip', ['address', 'replace', `${ADDRESS}/32`, 'dev', 'lo']);
  return ADDRESS;
}

export async function takeMachineAddress(): Promise<void> {
  const addresses = await run('ip', ['-4', 'address', 'show', 'dev', 'lo']);
  if (addresses.includes(` ${ADDRESS}/`)) await run('ip', ['address', 'del', `${ADDRESS}/32`, 'dev', 'lo']);
}
