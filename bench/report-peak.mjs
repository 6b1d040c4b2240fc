import { readFileSync, writeFileSync } from 'node:fs';

// Loaded before asof: writes the process's peak of resident memory, in KB, to the file that BENCH_PEAK_FILE names.
process.on('exit', () => writeFileSync(process.env.BENCH_PEAK_FILE, String(peak())));

/** The peak of this program alone, on Linux; getrusage includes the process that it was forked from. */
function peak() {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
