import { extension, field, nullableExtension } from './field.ts';
import { operation } from './operation.ts';

const unlimited = { '2147483647': 'unlimited' };

const used = (period: string) =>
  `Requests of this key in this UTC ${period}, with this one; null without keys.`;

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
  summary: 'Check that asof answers, and show what your plan allows',
  description: 'The plan of the key and its limits. It counts as a request like any other.',
  path: '/v1/ping',
  object: 'ping',
  inContract: true,
  aboutCaller: true,
  params: {},
  fields: [
    field('status', 'text', '`ok`.'),
    field('message', 'text', 'Where the answer comes from.'),
    field('plan', 'text', 'Name of the plan.'),
    field('monthly_limit', 'integer', 'Requests allowed in a month.', { words: unlimited }),
    field('rate_per_minute', 'integer', 'Requests allowed in a minute.', { words: unlimited }),
    field('vintage_access', 'boolean', 'Whether the plan allows queries as of a day.'),
    extension('daily_limit', 'integer', 'Requests allowed in a day.', { words: unlimited }),
    nullableExtension('daily_used', 'integer', used('day')),
    nullableExtension('monthly_used', 'integer', used('month')),
  ],
  columns: [
    ...(['status', 'message', 'plan', 'monthly_limit', 'monthly_used'] as const),
    ...(['daily_limit', 'daily_used', 'rate_per_minute', 'vintage_access'] as const),
  ],
  example: {},
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
