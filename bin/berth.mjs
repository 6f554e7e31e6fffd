#!/usr/bin/env node
// `berth`: the built program, which is built first where it is not there yet.
import { existsSync } from 'node:fs';

const built = new URL('../dist/berth.js', import.meta.url);
if (!existsSync(built)) {
  const { reportAndExit, requireNode } = await import('../scripts/steps.mjs');
  try {
    requireNode();
    const { install } = await import('../scripts/install.mjs');
    await install();
    const { buildIfChanged } = await import('../scripts/build.mjs');
    await buildIfChanged();
  } catch (error) {
    reportAndExit(error);
  }
}
await import(built.href);
