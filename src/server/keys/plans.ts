import { readFile } from 'node:fs/promises';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import type { Principal } from '../../operations/operation.ts';
import { isPlain } from '../../operations/value.ts';

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

function shipped(plan: Omit<Plan, 'maxConcurrent'>): readonly [string, Plan] {
  return [plan.name, { ...plan, maxConcurrent: usualMaxConcurrent }];
}

/** The shipped plans, which an operator's file replaces. */
export const shippedPlans: Plans = new Map([
  shipped({
    ...{ name: 'free', vintageAccess: false, maxRows: 10_000 },
    ...{ monthlyLimit: 10_000, dailyLimit: 500, ratePerMinute: 30 },
  }),
  shipped({
    ...{ name: 'pro', vintageAccess: true, maxRows: 1_000_000 },
    ...{ monthlyLimit: 1_000_000, dailyLimit: 50_000, ratePerMinute: 600 },
  }),
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

const example =
  'a plan is {"name":"free","monthly_limit":10000,"daily_limit":500,"rate_per_minute":30,"vintage_access":false}';

/** Parses a JSON list of plans with the contract's five fields, and perhaps `max_rows` and `max_concurrent`. */
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
  const plans = new Map<string, Plan>();
  for (const [i, entry] of content.entries()) {
    const plan = planOf(entry, (reason) => refused(`plan ${i + 1}: ${reason}`));
    if (plans.has(plan.name)) throw refused(`plan '${plan.name}' is listed twice`);
    plans.set(plan.name, plan);
  }
  return plans;
}

const limitNames = ['monthly_limit', 'daily_limit', 'rate_per_minute', 'max_rows', 'max_concurrent'];

function planOf(entry: unknown, refused: (reason: string) => Problem): Plan {
  if (!isPlain(entry)) throw refused('an object is expected');
  const { name, vintage_access: vintageAccess, ...limits } = entry;
  if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9_-]{0,31}$/.test(name))
    throw refused("'name' must be 1 to 32 lower-case letters, digits, - or _");
  if (typeof vintageAccess !== 'boolean') throw refused("'vintage_access' must be true or false");
  const unknown = Object.keys(limits).find((field) => !limitNames.includes(field));
  if (unknown !== undefined) throw refused(`unknown field '${unknown}'`);
  const limit = (field: string, value: unknown = limits[field]): number => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= largest) return value;
    throw refused(`'${field}' must be an integer from 1 to ${largest}`);
  };
  return {
    ...{ name, vintageAccess },
    monthlyLimit: limit('monthly_limit'),
    dailyLimit: limit('daily_limit'),
    ratePerMinute: limit('rate_per_minute'),
    maxRows: limit('max_rows', limits.max_rows ?? usualMaxRows),
    maxConcurrent: limit('max_concurrent', limits.max_concurrent ?? usualMaxConcurrent),
  };
}

/** Returns the principal of a key on a plan. */
export function principalOf({ name: plan, maxRows: _, maxConcurrent: __, ...limits }: Plan): Principal {
  return { plan, ...limits };
}
