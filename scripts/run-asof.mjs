import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const built = fileURLToPath(new URL('../dist/asof.cjs', import.meta.url));

/** Runs the built asof in a folder, without its standard output; throws if it fails. */
export async function runAsof(parameters, { cwd }) {
  const child = spawn(process.execPath, [built, ...parameters], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`asof ${parameters.join(' ')} ended with ${signal ?? code}`);
}
