// What the pages of docs/ ask of curl, for machines without it: -s, -H, --retry N, --retry-connrefused, --retry-delay
// S, a URL.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    retry: { type: 'string', default: '0' },
    'retry-connrefused': { type: 'boolean' },
    'retry-delay': { type: 'string', default: '1' },
  },
});
const headers = values.header.map((header) => header.split(/:\s*/, 2));
for (let left = Number(values.retry); ; left -= 1) {
  try {
    const answer = await fetch(positionals[0] ?? '', { headers });
    process.stdout.write(await answer.text());
    break;
  } catch {
    process.exitCode = 7;
    if (left <= 0) break;
    await delay(1000 * Number(values['retry-delay']));
  }
}
