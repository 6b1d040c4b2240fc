import { readFile } from 'node:fs/promises';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import type { Principal } from '../../operations/operation.ts';

/** The limits and rights of a key. */
export type Plan = {
  readonly name: string;
  readonly monthlyLimit: number;
  readonly dailyLimit: number;
  readonly ratePerMinute: number;
  readonly vintageAccess: boolean;
  /** The most rows that one request without pages may read. */
  readonly maxRows: number;
  /** The most answers without pages that a process computes for a key at a time. */
  readonly maxConcurrent: number;
};

export type Plans = ReadonlyMap<string, Plan>;

const usualMaxConcurrent = 4;

/** The shipped plans, which an operator's file replaces. */
export const shippedPlans: Plans = byName([
  {
    name: 'free',
    monthlyLimit: 10_000,
    dailyLimit: 500,
    ratePerMinute: 30,
    vintageAccess: false,
    maxRows: 10_000,
    maxConcurrent: usualMaxConcurrent,
  },
  {
    name: 'pro',
    monthlyLimit: 1_000_000,
    dailyLimit: 50_000,
    ratePerMinute: 600,
    vintageAccess: true,
    maxRows: 1_000_000,
    maxConcurrent: usualMaxConcurrent,
  },
]);

/** The default of `maxRows`: a hundred pages. */
const usualMaxRows = 100_000;

/** The contract's largest integer, which means unlimited. */
const largest = 2_147_483_647;

/** Reads the plans of an operator's file. Default: the shipped plans. */
export async function loadPlans(file: string | undefined): Promise<Plans> {
  if (file === undefined) return shippedPlans;
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw systemProblem('read', `the plans ${file}`, cause);
  });
  return parsePlans(text, file);
}

/**
 * Parses a JSON list of plans with the contract's five fields, and perhaps `max_rows` and `max_concurrent`.
 * Throws a Problem that names the error.
 */
export function parsePlans(text: string, file: string): Plans {
  const refused = (reason: string, cause?: unknown) =>
    new Problem('bad-input', `${file}: ${reason}`, { cause, hints: [example] });
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw refused(`it is not JSON (${cause instanceof Error ? cause.message : cause})`, cause);
  }
  if (!Array.isArray(content) || content.length === 0) throw refused('expected a list of plans');
  const plans = content.map((entry: unknown, i) => planOf(entry, `plan ${i + 1}`, refused));
  const names = plans.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw refused(`plan '${twice}' is listed twice`);
  return byName(plans);
}

const example =
  'a plan is {"name":"free","monthly_limit":10000,"daily_limit":500,"rate_per_minute":30,"vintage_access":false}';

const fieldNames = [
  'name',
  'monthly_limit',
  'daily_limit',
  'rate_per_minute',
  'vintage_access',
  'max_rows',
  'max_concurrent',
];

function planOf(entry: unknown, where: string, refused: (reason: string) => Problem): Plan {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw refused(`${where}: an object is expected`);
  const fields = entry as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(fields).find((name) => !fieldNames.includes(name));
  if (unknown !== undefined) throw refused(`${where}: unknown field '${unknown}'`);
  const { name, vintage_access: vintageAccess } = fields;
  if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9_-]{0,31}$/.test(name))
    throw refused(`${where}: 'name' must be 1 to 32 lower-case letters, digits, - or _`);
  if (typeof vintageAccess !== 'boolean') throw refused(`${where}: 'vintage_access' must be true or false`);
  const limit = (field: string): number => {
    const value = fields[field];
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > largest)
      throw refused(`${where}: '${field}' must be an integer from 1 to ${largest}`);
    return value;
  };
  return {
    name,
    monthlyLimit: limit('monthly_limit'),
    dailyLimit: limit('daily_limit'),
    ratePerMinute: limit('rate_per_minute'),
    vintageAccess,
    maxRows: fields.max_rows === undefined ? usualMaxRows : limit('max_rows'),
    maxConcurrent: fields.max_concurrent === undefined ? usualMaxConcurrent : limit('max_concurrent'),
  };
}

/** Returns the principal of a key on a plan. */
export function principalOf({ name: plan, maxRows: _, maxConcurrent: __, ...limits }: Plan): Principal {
  return { plan, ...limits };
}

function byName(plans: readonly Plan[]): Plans {
  return new Map(plans.map((plan) => [plan.name, plan]));
}
