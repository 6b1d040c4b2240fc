import { randomInt } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';

/** What `npm run fuzz` asks for: the seed, how long to go on, and the one case of the seed to repeat. */
const {
  FUZZ_SEED: seed = String(randomInt(2 ** 31)),
  FUZZ_SECONDS: asked = '20',
  FUZZ_PATH: path,
} = process.env;

/** How long a test may take: the search, and then the search for the smallest case that fails. */
export const fuzzTimeout = 1000 * Number(asked) + 300_000;

const casesOfOneSeed = 25;
/** How long a case may take, in milliseconds: of the processor's time, and, if it only waits, of the clock's. */
const longestCase = { busy: 60_000, waiting: 600_000 };

/**
 * Checks random cases until the time is over. The first case that fails is made as small as it gets, and its error says
 * how to repeat it. A case that hangs ends the process, after its seed was printed.
 */
export async function fuzz<T>(
  name: string,
  cases: fc.Arbitrary<T>,
  check: (one: T) => Promise<void>,
): Promise<void> {
  const seconds = Number(asked);
  console.log(`fuzz ${name}: seed ${seed}, ${seconds} seconds`);
  const end = performance.now() + 1000 * seconds;
  let count = 0;
  let next = performance.now() + 300_000;
  for (let current = Number(seed); ; current++) {
    const guard = hangGuard(`fuzz ${name}: seed ${current} hangs in the case`);
    const property = fc.asyncProperty(cases, async (one) => {
      guard.begin(one);
      await check(one);
      guard.end();
    });
    const details = await fc.check(property, {
      seed: current,
      numRuns: casesOfOneSeed,
      interruptAfterTimeLimit: 240_000,
      ...(path !== undefined && { path }),
    });
    await guard.stop();
    count += details.numRuns;
    if (details.failed && details.counterexample !== null) {
      const again = `npm run fuzz -- ${name} --seed ${current} --path ${details.counterexamplePath}`;
      const smallest = fc.stringify(details.counterexample[0]);
      throw new Error(`case ${count} fails; ${again} repeats the smallest such case:\n${smallest}`, {
        cause: details.errorInstance,
      });
    }
    if (path !== undefined || performance.now() > end) break;
    if (performance.now() < next) continue;
    console.log(`fuzz ${name}: ${count} cases so far`);
    next += 300_000;
  }
  console.log(`fuzz ${name}: ${count} cases`);
}

/** Watches from another thread, because a loop without end blocks this one; a busy machine alone is no hang. */
function hangGuard(message: string) {
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     let one = null, begun, before;
     parentPort.on('message', (text) => {
       [one, begun, before] = [text, performance.now(), process.cpuUsage()];
     });
     setInterval(() => {
       const { user, system } = process.cpuUsage(before);
       const { busy, waiting } = workerData.longest;
       if (one === null || ((user + system) / 1000 < busy && performance.now() - begun < waiting)) return;
       require('node:fs').writeSync(2, workerData.message + '\\n' + one + '\\n');
       process.kill(process.pid, 'SIGKILL');
     }, 1000);`,
    { eval: true, workerData: { message, longest: longestCase } },
  );
  return {
    begin: (one: unknown) => worker.postMessage(fc.stringify(one)),
    end: () => worker.postMessage(null),
    stop: () => worker.terminate(),
  };
}
