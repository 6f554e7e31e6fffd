// Stands in for main.js in tests of the supervisor: speaks its protocol, writes down what happens, does no work.
import { appendFileSync, writeFileSync } from 'node:fs';

const name = process.argv[2];
const note = (what) => appendFileSync(process.env.STAND_IN_LOG, `${name} ${what}\n`);
if (process.env.STAND_IN_PID_FOLDER)
  writeFileSync(`${process.env.STAND_IN_PID_FOLDER}/${name}.pid`, String(process.pid));

const stop = () => {
  note('stops');
  process.exit(0);
};
process.on('SIGTERM', stop);
process.on('disconnect', stop);
process.once('message', () => {
  note('begins');
  if (process.env.STAND_IN_FAILS === name) {
    process.send({ type: 'failed', sentence: `${name} cannot work here` }, () => process.exit(1));
  } else if (process.env.STAND_IN_DIES === name) {
    process.exit(3);
  } else {
    process.send({ type: 'ready' });
  }
});
process.send({ type: 'hello' });
