import { readFileSync, writeFileSync } from 'node:fs';

// Loaded before asof: leaves the process's peak of resident memory, in KB, in the file that the environment names.
process.on('exit', () => writeFileSync(process.env.BENCH_PEAK_FILE, String(peak())));

/** Of this program alone where the system tells: what getrusage says includes the process that it was forked from. */
function peak() {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
