import { operation } from './operation.ts';

const unlimited = { '2147483647': 'unlimited' };

/** Whether the service answers, and what the caller's plan allows. */
export const ping = operation({
  name: 'ping',
  command: {
    words: 'ping',
    heading: 'Service',
    examples: `
# whether asof answers, and from which data
asof ping
# what your plan allows (needs a service at that address)
asof ping --base-url https://data.example.org
# whether FRED, the Treasury and the SEC answer, and take your key (needs a network)
asof ping --sources
`,
  },
  summary: 'Check that asof answers, and what your plan allows',
  description: 'The plan of the key and its limits. It counts as a request like any other.',
  path: '/v1/ping',
  object: 'ping',
  inContract: true,
  aboutCaller: true,
  params: {},
  fields: [
    { name: 'status', type: 'text', description: '`ok`.' },
    { name: 'message', type: 'text', description: 'Where the answer comes from.' },
    { name: 'plan', type: 'text', description: 'Plan name.' },
    { name: 'monthly_limit', type: 'integer', description: 'Requests a month.', words: unlimited },
    { name: 'rate_per_minute', type: 'integer', description: 'Requests a minute.', words: unlimited },
    { name: 'vintage_access', type: 'boolean', description: 'Whether point-in-time queries are allowed.' },
    {
      name: 'daily_limit',
      type: 'integer',
      description: 'Requests a day.',
      words: unlimited,
      extension: true,
    },
    {
      name: 'daily_used',
      type: 'integer',
      description: 'Requests of this key in this UTC day, with this one; null without keys.',
      nullable: true,
      extension: true,
    },
    {
      name: 'monthly_used',
      type: 'integer',
      description: 'Requests of this key in this UTC month, with this one; null without keys.',
      nullable: true,
      extension: true,
    },
  ],
  columns: [
    'status',
    'message',
    'plan',
    'monthly_limit',
    'monthly_used',
    'daily_limit',
    'daily_used',
    'rate_per_minute',
    'vintage_access',
  ],
  example: {
    params: {},
    row: {
      status: 'ok',
      message: 'the shipped sample answers (read-only)',
      plan: 'pro',
      monthly_limit: 1_000_000,
      rate_per_minute: 600,
      vintage_access: true,
      daily_limit: 50_000,
      daily_used: 12,
      monthly_used: 340,
    },
  },
  async run(_values, { view, principal, usage }) {
    const { sample } = await view.state();
    const message = sample ? 'the shipped sample answers (read-only)' : 'the store answers';
    const { plan, monthlyLimit, dailyLimit, ratePerMinute, vintageAccess } = principal;
    return {
      rows: [
        {
          status: 'ok',
          message,
          plan,
          monthly_limit: monthlyLimit,
          rate_per_minute: ratePerMinute,
          vintage_access: vintageAccess,
          daily_limit: dailyLimit,
          daily_used: usage?.day ?? null,
          monthly_used: usage?.month ?? null,
        },
      ],
    };
  },
});
