// Runs a fuzzer for as long as one likes: npm run fuzz -- files --minutes 60 --seed 7
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    path: { type: 'string' },
  },
});
const { status } = spawnSync(
  'npx',
  ['vitest', 'run', '--project', 'fuzz', ...positionals.map((name) => `test/fuzz/${name}`)],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      FUZZ_SECONDS: String(60 * Number(values.minutes)),
      ...(values.seed !== undefined && { FUZZ_SEED: values.seed }),
      ...(values.path !== undefined && { FUZZ_PATH: values.path }),
    },
  },
);
process.exitCode = status ?? 1;
