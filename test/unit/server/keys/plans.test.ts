import { describe, expect, it } from 'vitest';
import { parsePlans, shippedPlans } from '../../../../src/server/keys/plans.ts';

const team = {
  name: 'team',
  monthly_limit: 5,
  daily_limit: 4,
  rate_per_minute: 3,
  vintage_access: true,
};

describe('a shipped plan', () => {
  it.each([
    ['free', 10_000, 500, 30, false, 10_000],
    ['pro', 1_000_000, 50_000, 600, true, 1_000_000],
  ])('%s', (name, monthlyLimit, dailyLimit, ratePerMinute, vintageAccess, maxRows) => {
    const limits = { monthlyLimit, dailyLimit, ratePerMinute, maxRows, maxConcurrent: 4 };
    expect(shippedPlans.get(name)).toEqual({ name, ...limits, vintageAccess });
  });
});

describe("an operator's file of plans", () => {
  it('replaces the shipped plans', () => {
    const limits = { monthlyLimit: 5, dailyLimit: 4, ratePerMinute: 3 };
    const planOf = (content: object) => parsePlans(JSON.stringify([content]), 'plans.json').get('team');
    expect(planOf({ ...team, max_rows: 7, max_concurrent: 2 })).toEqual({
      name: 'team',
      ...limits,
      vintageAccess: true,
      maxRows: 7,
      maxConcurrent: 2,
    });
    // The documented numbers of a plan that does not name them.
    expect(planOf(team)).toMatchObject({ ...limits, maxRows: 100_000, maxConcurrent: 4 });
    expect(parsePlans(JSON.stringify([team]), 'plans.json').size).toBe(1);
  });

  it.each<[string, unknown, string]>([
    ['that is an object', { team }, 'expected a list of plans'],
    ['that is empty', [], 'expected a list of plans'],
    ['with a text for a plan', ['free'], 'plan 1: an object is expected'],
    ['with a plan twice', [team, team], "plan 'team' is listed twice"],
    [
      'with a misspelt field',
      [team, { ...team, name: 'b', dayly_limit: 1 }],
      "plan 2: unknown field 'dayly_limit'",
    ],
    ['with a limit of 0', [{ ...team, daily_limit: 0 }], "plan 1: 'daily_limit' must be an integer from 1"],
    ['with a broken number', [{ ...team, monthly_limit: 1.5 }], "plan 1: 'monthly_limit' must be an integer"],
    ['with a number as text', [{ ...team, rate_per_minute: '3' }], "plan 1: 'rate_per_minute' must be"],
    ['with too large a limit', [{ ...team, daily_limit: 2_147_483_648 }], 'to 2147483647'],
    ['with no rows', [{ ...team, max_rows: 0 }], "plan 1: 'max_rows' must be an integer from 1"],
    ['with no concurrency', [{ ...team, max_concurrent: 0 }], "plan 1: 'max_concurrent' must be an integer"],
    ['without a limit', [{ ...team, daily_limit: undefined }], "plan 1: 'daily_limit' must be"],
    [
      'with access as text',
      [{ ...team, vintage_access: 'no' }],
      "plan 1: 'vintage_access' must be true or false",
    ],
    ['with a name in capitals', [{ ...team, name: 'Team' }], "plan 1: 'name' must be"],
  ])('%s is refused', (_, content, reason) => {
    expect(() => parsePlans(JSON.stringify(content), 'plans.json')).toThrow(`plans.json: `);
    expect(() => parsePlans(JSON.stringify(content), 'plans.json')).toThrow(reason);
  });

  it('is refused if it is not JSON', () => {
    expect(() => parsePlans('[{', 'plans.json')).toThrow('plans.json: it is not JSON');
  });
});
