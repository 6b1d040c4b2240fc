import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Loads a rival that is among the tools of the tests, or resolves it. */
export const tool = createRequire(new URL('../test/', import.meta.url));

/** The built program. */
export const asof = join(import.meta.dirname, '../dist/asof.cjs');

/** The built sample. */
export const sample = join(import.meta.dirname, '../dist/sample.db');

/**
 * Runs a program to its end and returns the milliseconds that it took; throws if it fails. Its output goes to a file,
 * or into a pipe that is read and dropped.
 */
export function timed(command, args, { output, input, env } = {}) {
  const file = output === undefined ? undefined : openSync(output, 'w');
  try {
    const started = process.hrtime.bigint();
    const { status, error, stderr } = spawnSync(command, args, {
      stdio: [input === undefined ? 'ignore' : 'pipe', file ?? 'pipe', 'pipe'],
      ...(input !== undefined && { input }),
      ...(env !== undefined && { env }),
    });
    const taken = Number(process.hrtime.bigint() - started) / 1e6;
    if (status === 0) return taken;
    throw error ?? new Error(`${command} ${args.join(' ')} failed:\n${stderr}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Runs the built asof under this node. */
export function timedAsof(args, options) {
  return timed(process.execPath, [asof, ...args], options);
}

/** The peak of resident memory of a run of asof, in MB; `flags` are those of node. */
export function peakOfAsof(args, folder, flags = []) {
  const report = join(folder, 'peak');
  const preload = join(import.meta.dirname, 'report-peak.mjs');
  const env = { ...process.env, BENCH_PEAK_FILE: report };
  timed(process.execPath, [...flags, '--import', preload, asof, ...args], {
    output: join(folder, 'out'),
    env,
  });
  return Number(readFileSync(report, 'utf8')) / 1024;
}

/**
 * The median of each side. The sides run in turn, so that other programs on the machine slow all of them down; a first
 * round fills the caches and is not counted.
 */
export function medians(rounds, sides) {
  const taken = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, run] of Object.entries(sides)) {
      const figure = run();
      if (round > 0) taken[name].push(figure);
    }
  }
  return Object.fromEntries(Object.entries(taken).map(([name, figures]) => [name, median(figures)]));
}

/** The median. */
export function median(figures) {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Whether a program is installed. */
export function isInstalled(command) {
  return spawnSync(command, ['--version']).status === 0;
}
