import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

// CPU time says what work costs also while other programs use the machine. Of other processes it is known on Linux
// alone; elsewhere it is NaN, which misses no target.

/** Seconds in one tick of /proc. */
const tick = 0.01;

/** The CPU time of the children of a process that have ended, in seconds. */
export function cpuOfEnded(pid = 'self') {
  return fields(pid, 13) + fields(pid, 14);
}

/** The CPU time of a process itself, in seconds. */
export function cpuOf(pid) {
  return fields(pid, 11) + fields(pid, 12);
}

/** The CPU time of the processes that work runs and waits for, in milliseconds. */
export function cpuOfRuns(work) {
  const before = cpuOfEnded();
  work();
  return (cpuOfEnded() - before) * 1000;
}

/** The CPU time of all that a server on this machine has done, by the folder of its data or of a test; in seconds. */
export function cpuOfCluster({ folder, data = join(folder, 'data') }) {
  try {
    const pid = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0];
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    // One that ends meanwhile is counted as ended.
    return children.reduce((sum, child) => sum + (cpuOf(child) || 0), cpuOfEnded(pid));
  } catch {
    return Number.NaN;
  }
}

/** How long the processors worked for anybody, and how long they could have, in seconds. */
export function cpuOfMachine() {
  const times = cpus().map(({ times }) => times);
  const sum = (kinds) =>
    times.reduce((all, time) => all + kinds.reduce((one, kind) => one + time[kind], 0), 0);
  const [busy, idle] = [sum(['user', 'nice', 'sys', 'irq']), sum(['idle'])];
  return { busy: busy / 1000, all: (busy + idle) / 1000 };
}

/** Waits, without a turn of the event loop, for a server to end the processes of closed connections. */
export function settle(ms = 200) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function fields(pid, index) {
  try {
    const after = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1);
    return Number(after.split(' ')[index]) * tick;
  } catch {
    return Number.NaN;
  }
}
